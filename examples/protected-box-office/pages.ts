/** The two pages of the authorization server: who are you, and may this program do that for you? Forms without scripts. */

/** What a person is asked to agree to. */
export interface Wish {
  readonly person: string
  /** As the program calls itself, which anybody may claim. */
  readonly client: string
  /** Where the person is sent back to. */
  readonly host: string
  readonly scopes: ReadonlyArray<string>
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const text = (words: string): string => words.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${content}</html>\n`

const form = (content: string, yes: string): string =>
  `<form method="post">${content}<button name="answer" value="yes">${yes}</button> ` +
  '<button name="answer" value="no" formnovalidate>Cancel</button></form>'

export const loginPage = (client: string): string =>
  page(
    "Log in",
    `<p>${text(client)} wants to use the box office for you.</p>` +
      form('<label>Your name <input name="name" required maxlength="40" autofocus></label> ', "Log in")
  )

export const consentPage = ({ client, host, person, scopes }: Wish): string =>
  page(
    "Do you agree?",
    `<p>${text(person)}, ${text(client)} wants to ${scopes.length === 0 ? "go on as before." : "have:"}</p>` +
      `<ul>${scopes.map((scope) => `<li>${text(scope)}</li>`).join("")}</ul>` +
      `<p>You will be sent back to ${text(host)}.</p>${form("", "Agree")}`
  )

export const problemPage = (what: string): string => page("That did not work", `<p>${text(what)}</p>`)

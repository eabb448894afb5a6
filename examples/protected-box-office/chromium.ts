/** A headless Chromium of this machine, and people who use it. */
import { existsSync } from "node:fs"
import { makeLoopbackBrowser } from "@treadle/oauth/node"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chromium, type Browser, type Page } from "playwright-core"

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Where it is; nothing where there is none. */
export const chromiumPath = [process.env["CHROMIUM_PATH"] ?? "", ...usual].find((path) => existsSync(path))

/** How long anything on a page may take, in milliseconds. */
const patience = 20_000

export class Chromium extends Context.Service<Chromium, Browser>()("example/Chromium") {
  static readonly layer = Layer.effect(
    Chromium,
    Effect.acquireRelease(
      Effect.promise(() =>
        chromium.launch({
          executablePath: chromiumPath ?? "",
          args: ["--no-sandbox", "--headless"],
          timeout: 2 * patience
        })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
  )
}

/** What a person does once the page of a login is shown; gives what they were asked to agree to. */
export type Behaviour = (page: Page, url: URL) => Promise<ReadonlyArray<string>>

const press = (page: Page, name: string) => page.getByRole("button", { name }).click()

/** Says who they are, where that is not known yet. @returns what they are asked to agree to */
const introduce = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const field = page.getByLabel("Your name")
  if (await field.isVisible()) {
    await field.fill(name)
    await press(page, "Log in")
  }
  await page.getByRole("heading", { name: "Do you agree?" }).waitFor()
  return page.getByRole("listitem").allTextContents()
}

/** Agrees to everything. */
export const agrees =
  (name: string): Behaviour =>
  async (page) => {
    const wished = await introduce(page, name)
    await press(page, "Agree")
    return wished
  }

/** Agrees to nothing. */
export const refuses =
  (name: string): Behaviour =>
  async (page) => {
    const wished = await introduce(page, name)
    await press(page, "Cancel")
    return wished
  }

/** One visit to the page of a login. */
export interface Visit {
  /** The scopes that the client asks for. */
  readonly asked: ReadonlyArray<string>
  /** Those that the person is told of. */
  readonly wished: ReadonlyArray<string>
  /** Where it ended, and what is read there. */
  readonly end: string
  readonly read: string
}

/** A person with a window of their own, until the scope closes: the browser of a client, and what they saw so far. */
export const person = Effect.fnUntraced(function* (behaviour: Behaviour) {
  const browser = yield* Chromium
  const window = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext()),
    (context) => Effect.promise(() => context.close())
  )
  window.setDefaultTimeout(patience)
  const visits: Array<Promise<Visit>> = []
  const visit = async (url: URL): Promise<Visit> => {
    const page = await window.newPage()
    await page.goto(url.href)
    const wished = await behaviour(page, url)
    await page.waitForURL("**/callback?**")
    const asked = (url.searchParams.get("scope") ?? "").split(" ")
    return { asked, wished, end: page.url(), read: (await page.textContent("body")) ?? "" }
  }
  const open = async (url: URL): Promise<void> => {
    const made = visit(url)
    visits.push(made)
    await made
  }
  return {
    browser: makeLoopbackBrowser({ open, onOpen: () => {}, timeout: 2 * patience }),
    open,
    visits: Effect.promise(() => Promise.all(visits))
  }
})

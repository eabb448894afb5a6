/**
 * What the loopback listener answers: small fixed pages that reflect nothing of a request, run nothing, and lead
 * nowhere.
 */
import type { ServerResponse } from "node:http"

/** The answers, by what happened. */
export type PageName = keyof typeof pages

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`

const pages = {
  returned: { status: 200, body: page("Thank you", "You can close this window and go back to the application.") },
  denied: {
    status: 200,
    body: page("Login was not granted", "You can close this window. The application says what to do next.")
  },
  notTheAnswer: { status: 400, body: page("Not the expected answer", "The login goes on where it was begun.") },
  wrongHost: { status: 403, body: page("Forbidden", "This address is not called by that name.") },
  notFound: { status: 404, body: page("Not found", "There is nothing here.") },
  wrongMethod: { status: 405, body: page("Method not allowed", "Only GET is answered here.") },
  over: { status: 410, body: page("This login is over", "You can close this window.") }
} as const

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close"
}

/** Answers a request, and calls back when the answer is out or nobody takes it. */
export const answerPage = (response: ServerResponse, name: PageName, done: () => void = () => {}): void => {
  const { body, status } = pages[name]
  response.once("close", done)
  response.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(body),
    ...(name === "wrongMethod" ? { allow: "GET" } : {})
  })
  response.end(body)
}

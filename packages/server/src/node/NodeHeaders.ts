/**
 * The few headers that a door asks for, read from the list that Node keeps as it came. Node's own table of all headers
 * would cost each request more than the checks that need it.
 */
import type { IncomingMessage } from "node:http"

/** Looks up a header by its name in lower case; one that was sent twice is joined, so that it equals neither. */
export type HeaderLookup = (name: string) => string | undefined

const fromTable = (headers: IncomingMessage["headers"], name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" || value === undefined ? value : value.join(", ")
}

/** The lookup of one request. Requests that an adapter made may have a table and no list. */
export const headerLookup = (req: Pick<IncomingMessage, "headers" | "rawHeaders">): HeaderLookup => {
  const list = req.rawHeaders
  if (list.length === 0) return (name) => fromTable(req.headers, name)
  return (name) => {
    let found: string | undefined
    for (let at = 0; at < list.length; at += 2) {
      const key = list[at] ?? ""
      if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue
      found = found === undefined ? list[at + 1] : `${found}, ${list[at + 1]}`
    }
    return found
  }
}

/**
 * The headers of a request on `node:http`, from the table that Node has made of them by then.
 */
import type { IncomingMessage } from "node:http"
import type { HeaderTable } from "../CurrentCall.ts"

/** Looks up a header by its name in lower case; one that was sent several times is joined, so that it equals none. */
export type HeaderLookup = (name: string) => string | undefined

/** The lookup of one request. */
export const headerLookup =
  ({ headers }: Pick<IncomingMessage, "headers">): HeaderLookup =>
  (name) => {
    const value = headers[name]
    return typeof value === "string" || value === undefined ? value : value.join(", ")
  }

/** All headers; one that was sent several times is joined, as the lookup has it. */
export const headerTable = (headers: IncomingMessage["headers"]): HeaderTable =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
    )
  )

/** Every line of a header, joined; the table of Node keeps only the first line of some. */
export const everyHeader = ({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">, name: string): string | undefined => {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
  return values.length === 0 ? undefined : values.join(", ")
}

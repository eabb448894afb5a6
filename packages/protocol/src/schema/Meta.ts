/**
 * `_meta`: the grammar of its keys, the reserved ones, and what a native request must carry there.
 *
 * Unknown keys pass through untouched in both directions (META-15).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
import * as Schema from "effect/Schema"

/** Any `_meta` object. */
export const Meta = Schema.Record(Schema.String, Schema.Json)
export type Meta = typeof Meta.Type

/** The reserved keys, each written here and nowhere else. */
export const MetaKey = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  /** @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. */
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  progressToken: "progressToken",
  traceparent: "traceparent",
  tracestate: "tracestate",
  baggage: "baggage"
} as const

const label = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/
const name = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/

/** Whether a key follows the grammar: an optional prefix of dot-separated labels, then a name (META-11). */
export const isMetaKey = (key: string): boolean => {
  const slash = key.indexOf("/")
  if (slash < 0) return key !== "" && name.test(key)
  return (
    key
      .slice(0, slash)
      .split(".")
      .every((part) => label.test(part)) && name.test(key.slice(slash + 1))
  )
}

/** Whether the prefix of a key is kept for MCP: its second label is `modelcontextprotocol` or `mcp` (META-13). */
export const isReservedMetaKey = (key: string): boolean => {
  const slash = key.indexOf("/")
  const second = slash < 0 ? undefined : key.slice(0, slash).split(".")[1]
  return second === "modelcontextprotocol" || second === "mcp"
}

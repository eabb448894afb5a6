/**
 * A served, recording server for the tests of anybody's client or agent: it listens on a free loopback port and keeps
 * what was called.
 */
import type { AnyEndpoint, InputOf } from "@treadle/protocol/endpoint"
import type { AnyHandler } from "../handler/Invocation.ts"
import type { Mcp, With } from "../Mcp.ts"
import type { Complete } from "../PlainDoor.ts"
import { McpNode } from "./McpNode.ts"
import type { ListenSettings } from "./NodeListen.ts"

/** One call that reached a handler. */
export interface RecordedCall<Input> {
  readonly tool: string
  /** What the handler got: decoded, defaults filled in. */
  readonly input: Input
}

/** A server that records, while it listens. */
export interface Recording {
  readonly url: string
  /** The calls so far, in order; those of one endpoint are typed. */
  calls(): ReadonlyArray<RecordedCall<unknown>>
  calls<X extends AnyEndpoint>(endpoint: X): ReadonlyArray<RecordedCall<InputOf<X>>>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const recording = <M extends Mcp<never, never>>(mcp: M, calls: Array<RecordedCall<unknown>>): M => {
  const record =
    (tool: string, handler: AnyHandler): AnyHandler =>
    (input, call) => {
      calls.push({ tool, input })
      return handler(input, call)
    }
  const { entries } = mcp.definition
  const operations = entries.operations.map((entry) => ({
    ...entry,
    handler: record(entry.endpoint.name, entry.handler)
  }))
  return Object.assign(Object.create(Object.getPrototypeOf(mcp)), mcp, {
    definition: { ...mcp.definition, entries: { ...entries, operations } }
  })
}

/**
 * Serves a server and records its calls until it is closed.
 *
 * @param context what the handlers get, where they ask for any
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { McpTest } from "@treadle/server/node"
 *
 * const recorded = await McpTest.listen(Mcp.make({ name: "kb", version: "1.0.0" }))
 * recorded.calls() // => []
 * await recorded.close()
 * ```
 */
const listen = async <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, ...context: With<Ctx>): Promise<Recording> => {
  const calls: Array<RecordedCall<unknown>> = []
  const recorded = recording(mcp as unknown as Mcp<never, never>, calls) as unknown as Mcp<never, Ctx>
  const settings: ListenSettings = {}
  const listening = await McpNode.listen(recorded, settings, ...context)
  return {
    url: listening.url,
    calls: (endpoint?: AnyEndpoint) =>
      endpoint === undefined
        ? calls
        : (calls.filter(({ tool }) => tool === endpoint.name) as Array<RecordedCall<never>>),
    close: listening.close,
    [Symbol.asyncDispose]: listening.close
  }
}

/** Serves and records, for tests of clients and agents. */
export const McpTest = { listen }

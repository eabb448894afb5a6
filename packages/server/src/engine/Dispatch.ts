/**
 * One row a method: what is answered at once, or what runs. A method without a row is not served.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { JsonObject } from "@treadle/protocol/json"
import { isRecord, own } from "@treadle/protocol/json"
import type { ProtocolVersion } from "@treadle/protocol/era"
import { RpcError } from "@treadle/protocol/rpc"
import type { ServerCapabilities } from "@treadle/protocol/schema"
import type { Call, CurrentCall } from "../CurrentCall.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Dress } from "../envelope/Dress.ts"
import { listTtl } from "../reply/ListReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { defectReply } from "../reply/ToolReply.ts"
import type { ToolTable } from "./ToolTable.ts"

/** Something that runs. */
export interface Running {
  /** What a report calls it. */
  readonly name: string
  readonly effect: (call: Call<unknown, never>) => Effect.Effect<NeutralResult, never, CurrentCall>
  readonly services: Context.Context<never>
  /** Milliseconds. */
  readonly timeout: number | undefined
  /** What the caller is told when it dies. */
  readonly died: (reference: string) => NeutralResult | RpcError
}

/** The printed result, the error, or what runs. */
export type Answered = string | RpcError | Running

export type Row = (request: Admitted) => Answered

/** What the rows are made of. */
export interface DispatchParts {
  readonly tools: ToolTable
  readonly versions: ReadonlyArray<ProtocolVersion>
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly dress: Dress
}

const discover = ({ versions, capabilities, instructions, dress }: DispatchParts): Row => {
  const text = dress.result({
    members: [
      `"supportedVersions":${JSON.stringify(versions)}`,
      `"capabilities":${JSON.stringify(capabilities)}`,
      ...(instructions === undefined ? [] : [`"instructions":${JSON.stringify(instructions)}`])
    ].join(","),
    cache: { ttlMs: listTtl, cacheScope: "public" }
  })
  return () => text
}

const listTools =
  ({ tools, dress }: DispatchParts): Row =>
  ({ inbound, request }) => {
    const cursor = own(request.params, "cursor")
    return cursor === undefined
      ? tools.list(inbound.context, dress.result)
      : RpcError.invalidParams("Invalid cursor: this list has one page; call tools/list without a cursor")
  }

const callTool =
  ({ tools }: DispatchParts): Row =>
  ({ inbound, request }) => {
    const name = own(request.params, "name")
    if (typeof name !== "string") return RpcError.invalidParams(`params.name must be the name of a tool`)
    const args = own(request.params, "arguments")
    if (args !== undefined && !isRecord(args)) return RpcError.invalidParams("params.arguments must be an object")
    const tool = tools.find(name, inbound.context)
    if (tool === undefined) return RpcError.invalidParams(`Unknown tool ${JSON.stringify(name)}; see tools/list`)
    const given = (args ?? {}) as JsonObject
    return {
      name,
      effect: (call) => tool.handler.run(given, call),
      services: tool.services,
      timeout: tool.handler.timeout,
      died: defectReply
    }
  }

/** The methods that are served. */
export const makeDispatch = (parts: DispatchParts): ReadonlyMap<string, Row> => {
  const rows = new Map<string, Row>([["server/discover", discover(parts)]])
  if (parts.capabilities.tools !== undefined) {
    rows.set("tools/list", listTools(parts))
    rows.set("tools/call", callTool(parts))
  }
  return rows
}

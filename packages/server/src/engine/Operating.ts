/**
 * Operations run for callers that speak HTTP and no MCP: by the rules of a call of a tool, without a message of one. The
 * caller sees what it may see, needs the scopes, counts against the limits, and is ended like any other.
 */
import type * as Effect from "effect/Effect"
import { Message, RpcError } from "@treadle/protocol/rpc"
import type { CurrentCall } from "../CurrentCall.ts"
import { Admitted, type Offered } from "../envelope/Admitted.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import { scopesMissing } from "../envelope/Ladder.ts"
import { serverStopping } from "../envelope/Refusal.ts"
import type { ToolHandler } from "../handler/ToolHandler.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { refused } from "./Answers.ts"
import type { Engine } from "./Engine.ts"
import type { Row } from "./methods/Row.ts"
import type { Offer } from "./offer/Offer.ts"
import type { RunningCall } from "./RunningCall.ts"
import type { Sink } from "./Sink.ts"

/** What a caller does with an operation. Both keep what they are told for the answer, which says only that it is over. */
export interface OperationUse {
  readonly run: (handler: ToolHandler, call: RunningCall) => Effect.Effect<NeutralResult, never, CurrentCall>
  readonly died: (reference: string) => NeutralResult
}

/**
 * Runs an operation, whether it is a tool or not. One that is not there, or not for this caller, is answered with
 * `MethodNotFound`.
 *
 * @returns the call, where it is still running when this returns
 */
export type Operate = (name: string, inbound: Inbound, sink: Sink, use: OperationUse) => RunningCall | undefined

export interface OperatingParts {
  readonly engine: Engine
  readonly offer: Offer
  readonly offered: Offered
  readonly isStopping: () => boolean
}

const rowOf =
  ({ operations, tools }: Offer, name: string, use: OperationUse): Row =>
  ({ inbound: { context } }) => {
    const found = tools.find(name, context) ?? operations.find(name, context)
    if (found === undefined) return RpcError.methodNotFound(`There is no operation ${JSON.stringify(name)} here`)
    const { handler, lease, services } = found
    return {
      name,
      effect: (call) => use.run(handler, call),
      services,
      lease,
      timeout: handler.timeout,
      once: handler.once,
      died: use.died
    }
  }

/**
 * The scopes of an operation that the caller sees. Where the author's function that says so throws, they are asked for
 * as if everybody saw it: then nothing runs without them, and the row reports what was thrown.
 */
const scopesOf = ({ operations, tools }: Offer, name: string, context: unknown): ReadonlyArray<string> => {
  const scopes = (tools.get(name) ?? operations.get(name))?.handler.scopes ?? []
  if (scopes.length === 0) return scopes
  try {
    return (tools.find(name, context) ?? operations.find(name, context)) === undefined ? [] : scopes
  } catch {
    return scopes
  }
}

export const makeOperate =
  ({ engine, isStopping, offer, offered }: OperatingParts): Operate =>
  (name, inbound, sink, use) => {
    if (isStopping()) return void sink.answer(refused({ rung: "stopping", error: serverStopping }))
    const request = new Admitted(inbound, Message.request(0, "tools/call", { name }), offered)
    request.routed = true
    const missing = scopesMissing(request, scopesOf(offer, name, inbound.context))
    return missing === undefined
      ? engine.serve(rowOf(offer, name, use), request, sink)
      : void sink.answer(refused({ rung: "scopes", error: missing, challenge: request.challenge }))
  }

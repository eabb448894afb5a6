/**
 * One operation as the engine sees it: how it is listed as a tool, who sees it, and what runs when it is called.
 */
import type * as Effect from "effect/Effect"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import type { ParamHeader } from "@treadle/protocol/http"
import type { RpcError } from "@treadle/protocol/rpc"
import type { Call, CurrentCall } from "../CurrentCall.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import type { TaskSettings } from "./TaskSettings.ts"

export interface ToolHandler {
  readonly name: string
  readonly endpoint: AnyEndpoint
  /** The listed tool, printed. */
  readonly listing: string
  /** The arguments that headers repeat. */
  readonly headers: ReadonlyArray<ParamHeader>
  /** Whether a caller sees the tool and may call it; everybody, where absent. */
  readonly visible: ((context: never) => boolean) | undefined
  /** The scopes that a caller needs over HTTP. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** Milliseconds until a call is given up, where the author set one. */
  readonly timeout: number | undefined
  /** Whether each state of a call that asked may be presented once only. */
  readonly once: boolean | undefined
  /** How its calls become tasks; none does, where absent. */
  readonly task: TaskSettings | undefined
  /** Whether arguments that do not fit, or that it does not have, are told of as an error of the protocol. */
  readonly strict: boolean
  /**
   * Runs one call. Whatever the author's code throws or dies of is a defect of this effect; it fails where a strict tool
   * is given arguments that do not fit.
   */
  readonly run: (args: unknown, call: Call<unknown, never>) => Effect.Effect<NeutralResult, RpcError, CurrentCall>
  /** Runs the author's function alone: with decoded input, to whatever it returns, fails with or throws. */
  readonly perform: (input: unknown, call: Call<unknown, never>) => Effect.Effect<unknown, unknown, CurrentCall>
}

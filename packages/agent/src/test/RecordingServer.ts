/**
 * A server in the same process that keeps what was asked of it, and that goes wrong when a test wants it to.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { AnyEndpoint, InputOf } from "@treadle/protocol/endpoint"
import type { DirectPeer, DirectServer, DirectSink } from "@treadle/protocol/framing"
import { isJsonObject, type JsonObject } from "@treadle/protocol/json"
import { Message, RpcError, type Request } from "@treadle/protocol/rpc"
import type { InProcess } from "../AgentDefinition.ts"
import { settled } from "../Settled.ts"

/** A call that reached the server. */
export interface RecordedCall<Input> {
  readonly tool: string
  /** What a handler gets: decoded, defaults filled in. */
  readonly input: Input
  /** `_meta` of the request. */
  readonly meta: JsonObject
}

/** What a server does in place of what it should, or before. */
export type Fault =
  | { readonly _tag: "Delay"; readonly millis: number }
  | { readonly _tag: "Error"; readonly code: number; readonly message: string }
  | { readonly _tag: "Hang" }

/** Answers as it should, after a while of the test's clock. */
export const delay = (millis: number): Fault => ({ _tag: "Delay", millis })

/** Answers with a JSON-RPC error, and does nothing. */
export const rpcError = (code: number, message = "as the test wants it"): Fault => ({ _tag: "Error", code, message })

/** Never answers. */
export const hanging: Fault = { _tag: "Hang" }

/** One request, as faults are chosen by. */
export interface FaultyRequest {
  readonly method: string
  /** The tool, where it is a call. */
  readonly tool: string | undefined
  /** How many requests of this method came before, from 0. */
  readonly index: number
}

/** A recording server; it stands for the server that it was made of. */
export interface RecordingServer extends DirectServer<{}, unknown, never> {
  /** The calls so far, in order; those of one endpoint are typed. */
  calls(): ReadonlyArray<RecordedCall<JsonObject>>
  calls<X extends AnyEndpoint>(endpoint: X): ReadonlyArray<RecordedCall<InputOf<X>>>
  /** The methods of all requests so far, in order. */
  readonly methods: ReadonlyArray<string>
  /** Requests that were cancelled, in order. */
  readonly cancelled: ReadonlyArray<string>
}

const objectIn = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

class Recorded implements RecordingServer {
  readonly #server: InProcess
  readonly #fault: (request: FaultyRequest) => Fault | undefined
  readonly #calls: Array<RecordedCall<JsonObject>> = []
  readonly #counts = new Map<string, number>()
  readonly methods: Array<string> = []
  readonly cancelled: Array<string> = []

  constructor(server: InProcess, fault: (request: FaultyRequest) => Fault | undefined) {
    this.#server = server
    this.#fault = fault
  }

  readonly "~treadle/direct" = (context: {}) =>
    Effect.flatMap(this.#server["~treadle/direct"](context), (peer) =>
      Effect.map(Effect.context<never>(), (services): DirectPeer => ({
        request: (request, sink) => {
          const cancel = this.#served(peer, request, sink, Effect.runForkWith(services))
          return () => {
            this.cancelled.push(request.method)
            cancel()
          }
        }
      }))
    )

  calls(): ReadonlyArray<RecordedCall<JsonObject>>
  calls<X extends AnyEndpoint>(endpoint: X): ReadonlyArray<RecordedCall<InputOf<X>>>
  calls(endpoint?: AnyEndpoint): ReadonlyArray<RecordedCall<unknown>> {
    if (endpoint === undefined) return this.#calls
    return this.#calls
      .filter(({ tool }) => tool === endpoint.name)
      .map((call) => {
        return { ...call, input: settled(endpoint.shape.input.decode(call.input)) }
      })
  }

  #served(
    peer: DirectPeer,
    request: Request,
    sink: DirectSink,
    fork: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
  ): () => void {
    const fault = this.#recorded(request)
    if (fault === undefined) return peer.request(request, sink)
    switch (fault._tag) {
      case "Hang":
        return () => {}
      case "Error":
        sink.answer(Message.error(request.id, RpcError.other(fault.code, fault.message)))
        return () => {}
      case "Delay": {
        let cancel = () => {}
        const late = fork(
          Effect.andThen(
            Effect.sleep(fault.millis),
            Effect.sync(() => {
              cancel = peer.request(request, sink)
            })
          )
        )
        return () => {
          fork(Effect.asVoid(Fiber.interrupt(late)))
          cancel()
        }
      }
    }
  }

  #recorded({ method, params }: Request): Fault | undefined {
    const index = this.#counts.get(method) ?? 0
    this.#counts.set(method, index + 1)
    this.methods.push(method)
    const { _meta, arguments: input, name } = objectIn(params)
    const tool = method === "tools/call" && typeof name === "string" ? name : undefined
    if (tool !== undefined) this.#calls.push({ tool, input: objectIn(input), meta: objectIn(_meta) })
    return this.#fault({ method, tool, index })
  }
}

/**
 * Records what is asked of a server. Give it to an agent in place of the server.
 *
 * @param server an `Mcp` value, or another agent's `AgentMcp`
 * @param fault what goes wrong with a request; nothing by default
 */
export const recording = (
  server: InProcess,
  fault: (request: FaultyRequest) => Fault | undefined = () => undefined
): RecordingServer => new Recorded(server, fault)

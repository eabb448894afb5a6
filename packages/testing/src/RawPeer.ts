/**
 * One client of a server under test, which sends and sees raw JSON-RPC, and the requests that it sends.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Recorder } from "./Recorder.ts"

/** A JSON-RPC message as it is on the wire. */
export type RawMessage = { readonly [key: string]: any }

/** One message that was sent. */
export interface RawCall {
  /** What came for it, in order; on a pipe notifications of other calls too, because nothing tells them apart. */
  readonly seen: Recorder<RawMessage>
  /** Its answer; a notification has none. */
  readonly answer: Effect.Effect<RawMessage>
  /** Says that it is no longer wanted, in the way of the transport. */
  readonly cancel: Effect.Effect<void>
}

/** One client. */
export interface RawPeer {
  /** The era in which it passes on what it is given; native where nothing is said. */
  readonly era?: "compat"
  readonly send: (message: RawMessage) => Effect.Effect<RawCall>
}

/** The revision that raw requests name. */
export const rawVersion = "2026-07-28"

/** A native request. */
export const rawRequest = (id: unknown, method: string, params: object = {}, meta: object = {}): RawMessage => ({
  jsonrpc: "2.0",
  id,
  method,
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": rawVersion,
      "io.modelcontextprotocol/clientCapabilities": {},
      ...meta
    }
  }
})

/** A call of a tool. */
export const rawToolCall = (id: unknown, name: string, args?: unknown, meta: object = {}): RawMessage =>
  rawRequest(id, "tools/call", args === undefined ? { name } : { name, arguments: args }, meta)

/** A native request of a client that can do this. */
export const rawDeclaring = (message: RawMessage, capabilities: object): RawMessage => {
  const { _meta, ...params } = message["params"] ?? {}
  if (_meta?.["io.modelcontextprotocol/clientCapabilities"] === undefined) return message
  return {
    ...message,
    params: { ...params, _meta: { ..._meta, "io.modelcontextprotocol/clientCapabilities": capabilities } }
  }
}

const nativeKeys = new Set(["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"])

/** A native request as a client of the compat era sends it: what its session has settled is left out. */
export const compatOf = (message: RawMessage): RawMessage => {
  const { _meta, ...params } = message["params"] ?? {}
  const kept = Object.entries(_meta ?? {}).filter(([key]) => !nativeKeys.has(key))
  const meta = kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }
  return message["params"] === undefined ? message : { ...message, params: { ...params, ...meta } }
}

/** The handshake of the compat era. */
export const rawHandshake = (protocolVersion = "2025-11-25", capabilities: object = {}): RawMessage => ({
  jsonrpc: "2.0",
  id: "handshake",
  method: "initialize",
  params: { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1.0.0" } }
})

let lastId = 1000

/** Calls a tool under an id of its own. */
export const rawCall = (peer: RawPeer, name: string, args?: unknown, meta?: object) =>
  peer.send(rawToolCall(++lastId, name, args, meta))

/** Sends a request and waits for its answer. */
export const rawAsk = (peer: RawPeer, message: RawMessage): Effect.Effect<RawMessage> =>
  Effect.flatMap(peer.send(message), ({ answer }) => answer)

/** The result of a tool, without what every result has. */
export const rawResult = (peer: RawPeer, name: string, args?: unknown): Effect.Effect<any> =>
  Effect.map(rawAsk(peer, rawToolCall(++lastId, name, args)), (answer) => {
    const { _meta, resultType, ...rest } = answer["result"] ?? assert.fail(JSON.stringify(answer))
    const serverInfo = _meta?.["io.modelcontextprotocol/serverInfo"]
    if (peer.era === "compat") {
      assert.deepStrictEqual([serverInfo, resultType], [undefined, undefined], "META-05 BASE-08: only natively")
      return rest
    }
    assert.strictEqual(resultType, "complete")
    assert.deepStrictEqual(serverInfo, { name: "suite", version: "1.0.0" })
    return rest
  })

/** Asks to hear log messages of this level, where requests do not say so themselves. */
export const rawLogLevel = (peer: RawPeer, level: string): Effect.Effect<void> =>
  peer.era === "compat" ? Effect.asVoid(rawAsk(peer, rawRequest("level", "logging/setLevel", { level }))) : Effect.void

/** The error that a request is answered with. */
export const rawError = (peer: RawPeer, message: RawMessage): Effect.Effect<any> =>
  Effect.map(rawAsk(peer, message), (answer) => answer["error"] ?? assert.fail(JSON.stringify(answer)))

/**
 * Every official client over every door, connected once for the tests of a file, which run in order.
 */
import { assert, describe, it } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import { afterAll, beforeAll } from "vitest"
import type { RawMessage } from "@treadle/testing"
import { Live, type Change } from "../../src/index.ts"
import { McpRouter } from "../../src/http-router/index.ts"
import { McpNode, type Listening } from "../../src/node/index.ts"
import { bundled } from "../fixtures/bundled.ts"
import { assertQuiet, assertSaidQuiet, quietAtEnd } from "../fixtures/quiet.ts"
import { theatre } from "../fixtures/theatre.ts"
import { doors, peers, type Door, type Peer } from "./officialPeers.ts"

/** What serves over HTTP. */
type Served = Pick<Listening, "url" | "server" | "close">

/** Serves the theatre over HTTP, with the settings that a door has by default; nothing is under way once it is closed. */
export const openTheatre = async (): Promise<Listening> => {
  let tell: (change: Change) => void = () => {}
  const listening = await McpNode.listen(theatre((change) => tell(change)))
  tell = (change) => listening.live.changed(change)
  const close = async () => {
    await listening.close()
    assertQuiet(listening)
  }
  return { ...listening, close, [Symbol.asyncDispose]: close }
}

/** Serves it as a route of an Effect application, as quietly. */
const openRoute = async (): Promise<Served> => {
  let tell: (change: Change) => void = () => {}
  const node = createServer()
  const served = McpRouter.scoped(
    theatre((change) => tell(change)),
    { path: "/mcp" }
  )
  const route = Layer.effect(
    Live,
    Effect.map(quietAtEnd(served), ({ live }) => live)
  )
  const app = HttpRouter.serve(route, { disableLogger: true, disableListenLog: true })
  const server = NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" })
  const scope = Scope.makeUnsafe()
  const built = await Effect.runPromise(Scope.provide(Layer.build(Layer.provideMerge(app, server)), scope))
  tell = (change) => Effect.runSync(Context.get(built, Live).changed(change))
  const { address } = Context.get(built, HttpServer.HttpServer)
  return {
    url: `http://127.0.0.1:${"port" in address ? address.port : 0}/mcp`,
    server: node,
    close: () => {
      node.closeAllConnections()
      return Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/** The same on standard input and output. */
export const program = (): string => bundled("theatreChild")

/** How a request failed; what it gave, where it did not. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => error
  )

/** The text of a result. */
export const textOf = ({ content }: RawMessage): string => content.map(({ text }: RawMessage) => text ?? "").join("\n")

/** Every client over every door. */
export const rows = peers.flatMap((row) => doors.map((door) => ({ ...row, door })))

/** Every client, and what it connects to. */
const places = rows.flatMap((row) =>
  row.door === "http"
    ? [
        { ...row, place: "http", open: openTheatre },
        { ...row, place: "a route of an Effect application", open: openRoute }
      ]
    : [{ ...row, place: row.door, open: openTheatre }]
)

/** What a suite knows of its client. */
export interface Row {
  readonly peer: () => Peer
  readonly door: Door
  readonly compat: boolean
  readonly version: string
  /** How often it came back to a stream. */
  readonly returns: () => number
  /** The code that it tells of a missing resource. */
  readonly missing: number
}

/** Describes each client with the same tests, and in the end how it closes. */
export const describeEveryPeer = (suite: (row: Row) => void): void =>
  describe.each(places)("$client over $place", ({ connect, era, open, ...row }) => {
    let listening: Served | undefined
    let connected: Peer | undefined
    let returns = 0
    const peer = (): Peer => {
      assert(connected)
      return connected
    }

    beforeAll(async () => {
      listening = await open()
      listening.server.on("request", ({ headers }) => {
        if (headers["last-event-id"] !== undefined) returns++
      })
      connected = await connect(row.door, { url: listening.url, program: program() })
      await connected.tools()
    })

    afterAll(() => listening?.close())

    suite({ peer, compat: era === "compat", returns: () => returns, ...row })

    it("closes: its session has ended, its process too, and nothing was left that it could not make sense of", async () => {
      const { close, errors, pid, said, session } = peer()
      const [id, child] = [session(), pid()]
      await close()
      assert.deepStrictEqual(errors, [])
      if (id !== undefined) {
        const headers = { "content-type": "application/json", "mcp-session-id": id }
        const ping = { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) }
        assert.strictEqual((await fetch(listening?.url ?? "", ping)).status, 404)
      }
      if (child === null) return
      assert.throws(() => process.kill(child, 0), "ESRCH")
      assertSaidQuiet(await said())
    })
  })

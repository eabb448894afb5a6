/**
 * Settings of a session that do not exist, as plain JavaScript writes them.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { linePair } from "@treadle/protocol/framing"
import { McpClient } from "@treadle/client"
import { McpNodeClient } from "@treadle/client/node"
import { Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"

const mcp = Mcp.make({ name: "box", version: "1" })
const untyped = (settings: object) => settings as never

const ways: ReadonlyArray<
  readonly [string, (settings: object) => Effect.Effect<unknown, { readonly message: string }>]
> = [
  ["HTTP", (settings) => Effect.scoped(McpClient.http("http://localhost/mcp", untyped(settings)))],
  ["a pipe", (settings) => Effect.scoped(McpClient.pipe(linePair()[0], untyped(settings)))],
  ["the same process", (settings) => Effect.scoped(McpClient.direct(mcp, {}, untyped(settings)))],
  [
    "a child process",
    (settings) => Effect.scoped(McpNodeClient.stdio(untyped({ command: "no-such-command", ...settings })))
  ]
]

const wrong: ReadonlyArray<readonly [object, string]> = [
  [{ timout: 1 }, "timout: there is no such setting; write timeout"],
  [{ answer: {} }, "answer: there is no such setting; write answers"],
  [{ ping: { intervall: 1 } }, "ping.intervall: there is no such setting; write interval"],
  [{ cache: { stores: 1 } }, "cache.stores: there is no such setting; write store"],
  [{ answers: { forms: () => ({ action: "decline" }) } }, "answers.forms: there is no such setting; write form"],
  [{ port: 1, trust: true }, "port: there is no such setting"]
]

describe.each(ways)("a session over %s", (_, open) => {
  for (const [settings, why] of wrong) {
    it.effect(`is not opened with a setting that does not exist: ${why}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(open(settings))
        assert.include(error.message, why)
      })
    )
  }
})

it.effect("a session is opened with what each way has", () =>
  Effect.gen(function* () {
    const fetch = McpHttp.fetch(mcp)
    const signal = new AbortController().signal
    const settings = {
      fetch,
      headers: {},
      bodyLimit: 1_000_000,
      signal,
      timeout: undefined,
      ping: false,
      colour: undefined
    }
    yield* Effect.scoped(McpClient.http("http://localhost/mcp", settings as never))
    yield* Effect.promise(() => fetch.close())
  })
)

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { EraMemory, makeEraMemory } from "../../src/index.ts"
import { compatServing, opened, ping, reasonOf, rpcError, serving } from "../fixtures.ts"

/** A native server in whose place another one may answer, which refuses the native revision and names others. */
const replaced = (supported: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const state = { replaced: false }
    const usual = serving()
    const next = compatServing()
    const { server, session } = yield* opened((seen, reply) => {
      if (!state.replaced) return usual(seen, reply)
      if (seen.headers["mcp-protocol-version"] !== "2026-07-28") return next(seen, reply)
      reply.json(rpcError(seen.json.id, -32022, "not that one", { supported, requested: "2026-07-28" }), 400)
    })
    return { server, session, state }
  }).pipe(Effect.provideService(EraMemory, makeEraMemory()))

describe("a server that is replaced by one of another revision", () => {
  it.effect("D21: is negotiated with anew, and the call is sent once more, since it did not run", () =>
    Effect.gen(function* () {
      const { server, session, state } = yield* replaced(["2025-11-25"])
      yield* session.call(ping)()
      state.replaced = true
      const before = server.seen.events.length
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual([session.era, session.version, session.counters().links], ["compat", "2025-11-25", 2])
      assert.deepStrictEqual(
        server.seen.events.slice(before).map(({ json }) => json.method),
        ["tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"]
      )
    })
  )

  it.effect("VER-02: fails with what both speak where they have no revision in common", () =>
    Effect.gen(function* () {
      const { session, state } = yield* replaced(["2099-01-01"])
      state.replaced = true
      assert.deepInclude(yield* reasonOf(session.call(ping)()), {
        _tag: "NotOffered",
        what: "the server speaks 2099-01-01; this client speaks 2026-07-28"
      })
    })
  )
})

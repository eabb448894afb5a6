import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Listener } from "../../src/engine/watching/Listeners.ts"

describe("a listener that does not come", () => {
  it.effect("SUB-12: keeps 1024 addresses below the one it watches, and then that one, which may have changed", () =>
    Effect.gen(function* () {
      const listener = new Listener(["uri:box://a", "tools"])
      for (let show = 0; show < 5000; show++) listener.tell(`uri:box://a/${show}`, false)
      listener.tell("tools", false)
      const seen = yield* Stream.runCollect(Stream.take(listener.stream, 1026))
      assert.deepStrictEqual(seen[1023], { _tag: "ResourceUpdated", uri: "box://a/1023", missed: false })
      assert.deepStrictEqual(seen.slice(1024), [
        { _tag: "ResourceUpdated", uri: "box://a", missed: true },
        { _tag: "ToolsChanged", missed: true }
      ])
    })
  )

  it.effect("keeps no address of more than 8192 characters that a server tells of, but the one it watches", () =>
    Effect.gen(function* () {
      const listener = new Listener(["uri:box://a"])
      for (let show = 0; show < 3; show++) listener.tell(`uri:box://a/${show}${"x".repeat(10_000)}`, false)
      listener.tell("uri:box://a/1", false)
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(listener.stream, 2)), [
        { _tag: "ResourceUpdated", uri: "box://a", missed: true },
        { _tag: "ResourceUpdated", uri: "box://a/1", missed: false }
      ])
    })
  )
})

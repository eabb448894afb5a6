import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Feed } from "../src/Feed.ts"
it.effect("dbg", () => Effect.gen(function* () {
  const a = new Feed<string>(), b = new Feed<string>()
  a.push("one")
  console.log("head", yield* Stream.runHead(a.stream))
  a.end(); b.end()
  console.log("b", yield* Stream.runCollect(b.stream))
  console.log("a", yield* Stream.runCollect(a.stream))
  console.log("b", yield* Stream.runCollect(b.stream))
  console.log("a map", yield* Stream.runCollect(Stream.map(a.stream, (x) => x + "!")))
  console.log("b", yield* Stream.runCollect(b.stream))
  console.log("empty", yield* Stream.runCollect(Stream.empty))
}))

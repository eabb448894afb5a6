/**
 * One behaviour, every door: the transport suite over `node:http`, `fetch`, an Effect router, memory, a child process, the
 * same process, and single messages. It runs in real time, because a child process has no other. What a door cannot do is
 * skipped, with the reason that its `without` states.
 */
import { describe, it } from "@effect/vitest"
import { transportSuite } from "@treadle/testing"
import * as Effect from "effect/Effect"
import { doors } from "./fixtures/doors.ts"

describe.each(doors)("$name", ({ start, without }) => {
  for (const { name, needs, run } of transportSuite) {
    const why = needs === undefined ? undefined : without?.[needs]
    if (why === undefined) it.live(name, () => Effect.flatMap(start, run))
    else it.skip(`${name} (${why})`, () => {})
  }
})

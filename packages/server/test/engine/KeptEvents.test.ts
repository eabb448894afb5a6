/**
 * Whoever waits for a reader that stalls: what lets it go on.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { EventLog } from "../../src/engine/sessions/EventLog.ts"
import type { Events } from "../../src/engine/sessions/Events.ts"
import { callEvents } from "../../src/engine/sessions/KeptEvents.ts"

/** A connection whose peer neither reads nor goes away. */
const stalled = (): Events => ({
  send: () => false,
  end: () => {},
  comment: () => {},
  pause: () => {},
  gone: () => false,
  unread: () => 1,
  drained: Effect.never
})

describe("a stream of a session whose reader stalls", () => {
  const ways = {
    "comes back on another connection": (record: ReturnType<EventLog["open"]>) => void record.resume?.(stalled(), 0),
    "is let go by a pause": (_: unknown, stream: Events) => stream.pause(10),
    "is told the answer": (_: unknown, stream: Events) => stream.end("{}")
  }
  for (const [way, happens] of Object.entries(ways)) {
    it.effect(`D13: holds nobody back once that reader ${way}`, () =>
      Effect.gen(function* () {
        const record = new EventLog(10_000).open()
        const stream = callEvents(record, stalled(), true)
        const waiting = yield* Effect.forkChild(stream.drained, { startImmediately: true })
        yield* Effect.yieldNow
        assert.isUndefined(waiting.pollUnsafe())
        happens(record, stream)
        yield* Fiber.join(waiting)
      })
    )
  }
})

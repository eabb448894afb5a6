import { assert, describe, it } from "@effect/vitest"
import { Limits } from "../src/index.ts"

describe("limits", () => {
  it("D13: are these where nothing is said", () => {
    assert.deepStrictEqual(Limits.of(), {
      bodyBytes: 4_194_304,
      lineBytes: 16_777_216,
      nesting: 512,
      runningCalls: 64,
      listeners: 16,
      subscribedUris: 256,
      uriLength: 8_192,
      sessions: 1_000,
      sessionIdle: 1_800_000,
      keptEvents: 262_144,
      tasks: 1_000,
      callerTasks: 64,
      taskTtl: 3_600_000,
      pageSize: 200,
      unreadBytes: 1_048_576,
      streamAfter: 2_000,
      keepAlive: 8_000,
      askTimeout: 600_000,
      drain: 3_000,
      grace: 5_000
    })
  })

  it("D13: are never lost to a setting that is absent at run time", () => {
    const absent = { bodyBytes: undefined, grace: 1 } as unknown as Partial<Limits>
    assert.deepStrictEqual(Limits.of(absent), { ...Limits.defaults, grace: 1 })
  })
})

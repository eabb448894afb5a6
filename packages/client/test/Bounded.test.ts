import { assert, describe, it } from "@effect/vitest"
import { makeEraMemory } from "../src/index.ts"
import { keepNewest } from "../src/Bounded.ts"

describe("what is kept of what others send", () => {
  it("is the newest, and what is forgotten is named", () => {
    const kept = new Map([1, 2, 3, 4].map((key) => [key, true]))
    assert.deepStrictEqual(keepNewest(kept, 2), [1, 2])
    assert.deepStrictEqual([...kept.keys()], [3, 4])
    assert.deepStrictEqual(keepNewest(kept, 2), [])
  })

  it("ERA-11: is 1024 verdicts on servers, the oldest forgotten first", () => {
    const memory = makeEraMemory()
    for (let server = 0; server <= 1024; server++) memory.remember(String(server), 0)
    assert.deepStrictEqual(
      ["0", "1", "1024"].map((server) => memory.isCompat(server, 1)),
      [false, true, true]
    )
  })
})

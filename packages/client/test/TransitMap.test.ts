import { assert, describe, it } from "@effect/vitest"
import { TransitMap } from "../src/TransitMap.ts"

describe("a map that much passes through", () => {
  it("holds what was set and not deleted, in that order, however much has passed", () => {
    const map = new TransitMap<number, string>()
    map.set(-1, "stays")
    for (let key = 0; key < 5000; key++) {
      map.set(key, `value ${key}`)
      if (key >= 3) assert.isTrue(map.delete(key - 3))
    }
    assert.deepStrictEqual([...map.values()], ["stays", "value 4997", "value 4998", "value 4999"])
    assert.strictEqual(map.size, 4)
    assert.strictEqual(map.get(4998), "value 4998")
    assert.isTrue(map.has(-1))
    assert.isFalse(map.has(4996))
    assert.isFalse(map.delete(4996))
  })

  it("gives every value to who deletes while reading, however many there are", () => {
    const map = new TransitMap<number, number>()
    for (let key = 0; key < 2000; key++) map.set(key, key)
    let seen = 0
    for (const key of map.values()) {
      seen++
      map.delete(key)
    }
    assert.strictEqual(seen, 2000)
    assert.strictEqual(map.size, 0)
  })
})

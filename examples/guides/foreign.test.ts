/** The page on foreign servers: its contract is the one that is written, and its program calls by it. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import { contractAt } from "./contract-of.ts"
import { tomorrow } from "./foreign.ts"
import { weather } from "./weather.ts"

describe("a server that is not ours", () => {
  it("has the contract that stands on the page", async () => {
    await using server = await McpNode.listen(weather)
    const there = readFileSync(new URL("weather.contract.ts", import.meta.url), "utf8")
    assert.strictEqual(await Effect.runPromise(contractAt(server.url)), there)
  })

  it("is called by it", async () => {
    await using server = await McpNode.listen(weather)
    assert.strictEqual(await tomorrow(server.url, "Oslo"), "Oslo: 21 degrees")
    assert.include(await tomorrow(server.url, "Atlantis"), "Atlantis has no weather station.")
  })
})

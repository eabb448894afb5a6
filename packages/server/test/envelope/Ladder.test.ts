/**
 * Every row of the cell sheet through the HTTP doors, and every pair of faults: the one that is checked first is told.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawAsk, rawToolCall } from "@treadle/testing"
import { compatRungs, rungs } from "../../src/envelope/Ladder.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty, serving } from "../fixtures/calling.ts"
import { calling, cellMcp, exchange, httpDoors, ran, type Fault } from "../fixtures/cells.ts"
import { sheet } from "../fixtures/cellSheet.ts"
import { compatSheet } from "../fixtures/compatSheet.ts"

/** The order in which the HTTP doors check, and so the order of this sheet. */
const order = Object.keys(sheet) as ReadonlyArray<keyof typeof sheet>
const compatOrder = compatRungs.map(([name]) => name) as ReadonlyArray<keyof typeof compatSheet>

describe("the cell sheet", () => {
  it.each([
    ["native", sheet, rungs],
    ["compat", compatSheet, compatRungs]
  ] as const)(
    "of the %s era has a row for every rung of its ladder, in the order of the ladder",
    (_, cells, ladder) => {
      const names: ReadonlyArray<string> = ladder.map(([name]) => name)
      assert.deepStrictEqual(
        Object.keys(cells).filter((name) => names.includes(name)),
        names
      )
      for (const [name, { rows }] of Object.entries(cells)) assert.isNotEmpty(rows, name)
    }
  )
})

describe.each(httpDoors)("a request that is refused by the door on $name", ({ send }) => {
  for (const [rung, { code, rows, says, status }] of [...Object.entries(sheet), ...Object.entries(compatSheet)]) {
    it.effect.each(rows)(`${rung}: $scenario`, (row) =>
      Effect.scoped(
        Effect.gen(function* () {
          const before = ran.length
          const seen = yield* send(row)
          assert.strictEqual(seen.status, status, seen.text)
          assert.strictEqual(ran.length, before, "nothing has run")
          assert.strictEqual(seen.headers["content-type"], "application/json")
          const { error, ...rest } = seen.json
          assert.notProperty(seen.headers, "mcp-session-id")
          assert.deepStrictEqual(rest, row.id === false ? { jsonrpc: "2.0" } : { jsonrpc: "2.0", id: 7 })
          assert.strictEqual(error.code, code)
          assert.match(error.message, says)
          assert.notMatch(seen.text, /secret of the author|\.ts:|node_modules/)
        })
      )
    )
  }

  const pairs = order.flatMap((first, at) => order.slice(at + 1).map((second) => [first, second] as const))
  const silent = new Set(["body-gone", "principal"])
  /** With another version, or none, in the header, what names no version in `_meta` is a request of the compat era. */
  const otherEra = new Set(["version-agrees", "version-served"])

  it.effect("with two faults is told the one that is checked first", () =>
    Effect.gen(function* () {
      for (const [first, second] of pairs) {
        if (silent.has(first) || silent.has(second) || (first === "version-named" && otherEra.has(second))) continue
        const [one, two] = [sheet[first].rows[0], sheet[second].rows[0]]
        if (one === undefined || two === undefined) return assert.fail()
        const seen = yield* Effect.scoped(send(two, one))
        assert.deepStrictEqual(
          [seen.status, seen.json?.error.code],
          [sheet[first].status, sheet[first].code],
          `${first} before ${second}: ${seen.text}`
        )
        assert.match(seen.json.error.message, sheet[first].says, `${first} before ${second}`)
      }
    })
  )

  it.effect("in a session with two faults is told the one that is checked first", () =>
    Effect.gen(function* () {
      for (const [at, first] of compatOrder.entries()) {
        for (const second of compatOrder.slice(at + 1)) {
          const seen = yield* Effect.scoped(send(compatSheet[second].rows[0] ?? {}, compatSheet[first].rows[0] ?? {}))
          assert.strictEqual(seen.status, compatSheet[first].status, `${first} before ${second}: ${seen.text}`)
          assert.match(seen.json.error.message, compatSheet[first].says, `${first} before ${second}`)
        }
      }
    })
  )

  it.effect("HDR-05: says which header to send where one is missing, as it must be written", () =>
    Effect.gen(function* () {
      const told = (header: string, fault: Fault = {}) =>
        Effect.map(
          Effect.scoped(send({ ...fault, headers: { ...fault.headers, [header]: undefined } })),
          ({ json }) => json.error.message
        )
      assert.strictEqual(
        yield* told("mcp-protocol-version"),
        "The header MCP-Protocol-Version is missing; send MCP-Protocol-Version: 2026-07-28, as in params._meta"
      )
      assert.strictEqual(
        yield* told("mcp-method"),
        "The header Mcp-Method is missing; send Mcp-Method: tools/call, as in method"
      )
      assert.strictEqual(
        yield* told("mcp-name", calling("\u00fcber", {})),
        "The header Mcp-Name is missing; send Mcp-Name: =?base64?w7xiZXI=?=, as in params.name"
      )
      assert.strictEqual(
        yield* told("mcp-name", { message: (one) => ({ ...one, params: { ...one.params, name: 5 } }) }),
        "The header Mcp-Name is missing; it repeats params.name"
      )
    })
  )

  it.effect("says what would have been served (ERR-09, HTTP-19, D17)", () =>
    Effect.gen(function* () {
      const first = (rung: keyof typeof sheet) => Effect.scoped(send(sheet[rung].rows[0] ?? {}))
      assert.strictEqual((yield* first("verb")).headers["allow"], "POST, GET, DELETE")
      assert.deepStrictEqual((yield* first("version-served")).json.error.data, {
        supported: ["2026-07-28"],
        requested: "2025-11-25"
      })
      assert.deepStrictEqual((yield* first("version-named")).json.error.data, { supported: ["2026-07-28"] })
    })
  )
})

describe("a message that is refused elsewhere", () => {
  it.effect("path: HTTP-01: another path than the endpoint is 404 and names the endpoint", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => McpNode.listen(cellMcp(), { path: "/mcp" })),
        ({ close }) => Effect.promise(close)
      )
      for (const path of ["/", "/mcp/", "/mcp/x", "/MCP"]) {
        const seen = yield* Effect.promise(() => exchange(server.port, "POST", [], "{}", path))
        assert.strictEqual(seen.status, 404)
        assert.include(seen.json.error.message, "the endpoint is /mcp")
      }
      const seen = yield* Effect.promise(() => exchange(server.port, "PUT", [], "", "/mcp?x=/y"))
      assert.strictEqual(seen.status, 405)
    })
  )

  it.effect("id-free: BASE-04: an id that still runs is refused on a pipe without saying the id", () =>
    Effect.gen(function* () {
      const { peer } = yield* serving(
        empty().tool("t", { description: "Tested" }, () => Effect.never),
        {}
      )
      const running = yield* peer.send(rawToolCall(1, "t"))
      const again = yield* peer.send(rawToolCall(1, "t"))
      const refused = yield* Effect.promise(() => again.seen.first(() => true))
      assert.deepStrictEqual(Object.keys(refused), ["jsonrpc", "error"])
      assert.strictEqual(refused["error"].code, -32600)
      const other = yield* rawAsk(peer, rawToolCall("1", "none"))
      assert.strictEqual(other["error"].code, -32602)
      yield* running.cancel
    })
  )
})

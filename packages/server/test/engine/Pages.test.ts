/**
 * Lists of several pages: their cursors and what those are bound to.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { rawRequest, rawVersion } from "@treadle/testing"
import { v2026_07_28 } from "@treadle/protocol/era"
import { Message } from "@treadle/protocol/rpc"
import * as Result from "effect/Result"
import { CursorSeal } from "../../src/engine/methods/CursorSeal.ts"
import { ListTable, type Listed, type ServedEntry } from "../../src/engine/offer/ListTable.ts"
import { listRow } from "../../src/engine/methods/Pages.ts"
import { Admitted } from "../../src/envelope/Admitted.ts"
import { makeDress } from "../../src/envelope/Dress.ts"
import { McpHttp } from "../../src/http.ts"
import { Mcp, type StateKey } from "../../src/index.ts"
import { bare, bothEras, type Ask } from "../fixtures/eras.ts"

interface Ctx {
  readonly user?: string
  readonly admin?: boolean
}

const text = async () => ""
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)

/** A server with this many entries of each kind. */
const many = (count: number, visible?: (context: Ctx) => boolean): Mcp<never, Ctx> => {
  const guard = visible === undefined ? {} : { visible }
  return names(count).reduce(
    (mcp, name) =>
      mcp
        .tool(name, { description: "Tested", ...guard }, text)
        .prompt(name, { description: "Tested", ...guard }, text)
        .resource({ uri: `x://${name}`, name, ...guard }, text)
        .template({ uriTemplate: `x://${name}/{id}`, name, ...guard }, text),
    Mcp.make<Ctx>({ name: "suite", version: "1.0.0", principal: ({ user }) => user })
  )
}

const lists = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"]
] as const

/** Every page of a list, following its cursors. */
const pages = Effect.fnUntraced(function* (ask: Ask, method: string) {
  const out: Array<any> = []
  let cursor: string | undefined
  do {
    const answer: any = bare(yield* ask(method, cursor === undefined ? {} : { cursor }))
    out.push(answer)
    cursor = answer.nextCursor
  } while (cursor !== undefined && out.length < 20)
  return out
})

const namesOf = (found: ReadonlyArray<any>, member: string): ReadonlyArray<ReadonlyArray<string>> =>
  found.map((page) => page[member].map((entry: { readonly name: string }) => entry.name))

const settings = { limits: { pageSize: 3 } }

describe("pages", () => {
  it.effect("PAGE-05 D15: hold every entry of every list once, in the order of definition, in both eras", () =>
    Effect.gen(function* () {
      const { native, compat } = yield* bothEras(many(7), {}, settings)
      for (const ask of [native(), yield* compat(), yield* compat("2024-11-05")]) {
        for (const [method, member] of lists) {
          assert.deepStrictEqual(namesOf(yield* pages(ask, method), member), [
            ["n0", "n1", "n2"],
            ["n3", "n4", "n5"],
            ["n6"]
          ])
        }
      }
    })
  )

  it.effect("are as many as there need to be", () =>
    Effect.gen(function* () {
      for (const [count, pageSize, sizes] of [
        [1, 3, [1]],
        [3, 3, [3]],
        [4, 3, [3, 1]],
        [6, 3, [3, 3]],
        [3, 1, [1, 1, 1]],
        [3, Number.MAX_SAFE_INTEGER, [3]],
        [201, undefined, [200, 1]]
      ] as const) {
        const limits = pageSize === undefined ? {} : { pageSize }
        const { native } = yield* bothEras(many(count), {}, { limits })
        const found = yield* pages(native(), "prompts/list")
        assert.deepStrictEqual(
          found.map(({ prompts }) => prompts.length),
          [...sizes],
          `${count} by ${pageSize}`
        )
      }
    })
  )

  it.effect("CACHE-09 CACHE-11: share one scope, private where cursors are bound to their caller", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(many(7), {}, settings)
      const hints = (yield* pages(native(), "tools/list")).map(({ cacheScope, ttlMs }) => [ttlMs, cacheScope])
      assert.deepStrictEqual(hints, [
        [300_000, "private"],
        [300_000, "private"],
        [300_000, "private"]
      ])
      const one = yield* bothEras(many(3), {}, settings)
      assert.strictEqual((yield* pages(one.native(), "tools/list"))[0].cacheScope, "public")
    })
  )

  it.effect("PAGE-04: are the same for the same cursor, however often and in whatever order it is presented", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(many(7), {}, settings)
      const [first, second, third] = yield* pages(native(), "tools/list")
      const again = (cursor: string) => Effect.map(native()("tools/list", { cursor }), bare)
      assert.deepStrictEqual(yield* again(second.nextCursor), third)
      assert.deepStrictEqual(yield* again(first.nextCursor), second)
      assert.deepStrictEqual(yield* again(first.nextCursor), second)
    })
  )
})

describe("a cursor", () => {
  const refusedAt = Effect.fnUntraced(function* (ask: Ask, method: string, cursor: unknown) {
    const { error } = yield* ask(method, { cursor })
    assert.strictEqual(error?.code, -32602, `${method} ${JSON.stringify(cursor)}`)
    assert.strictEqual(
      error.message,
      `Invalid cursor: it is not one that this server gave you for ${method} as it is now; call it without a cursor`
    )
  })

  it.effect("PAGE-04: that this server did not give is -32602, the empty one included, in both eras", () =>
    Effect.gen(function* () {
      const { compat, native } = yield* bothEras(many(7), {}, settings)
      const given: string = (yield* pages(native(), "tools/list"))[0].nextCursor
      const [page, key, mac = ""] = given.split(".")
      const sealed = `${key}.${mac}`
      const faulty = [
        `${page}.${mac}`,
        `${page}..${mac}`,
        `${page}.other.${mac}`,
        `${page}.${key}.`,
        `${page}.${key}.AAAA`
      ]
      const forged = ["", "1", "x", `2.${sealed}`, `0.${sealed}`, `01.${sealed}`, `${given}A`, ...faulty]
      const turned = `${page}.${key}.${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`
      for (const ask of [native(), yield* compat()]) {
        for (const cursor of [...forged, turned, ` ${given}`, null, 1, {}]) yield* refusedAt(ask, "tools/list", cursor)
      }
      const other = yield* bothEras(many(7), {}, settings)
      yield* refusedAt(other.native(), "tools/list", given)
    })
  )

  it.effect("PAGE-04: of another list is -32602", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(many(7), {}, settings)
      const given = (yield* pages(native(), "tools/list"))[0].nextCursor
      for (const [method] of lists.slice(1)) yield* refusedAt(native(), method, given)
    })
  )

  it.effect("PAGE-04: is -32602 where a list has one page", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(many(3), {}, settings)
      for (const [method] of lists) {
        for (const cursor of ["", "1.AAAA", null]) yield* refusedAt(native(), method, cursor)
      }
    })
  )

  it.effect("D15: of another principal is -32602, and of the same one is taken whatever else it comes with", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(many(7), {}, settings)
      const given = (yield* pages(native({ user: "ada" }), "tools/list"))[0].nextCursor
      yield* refusedAt(native({ user: "eve" }), "tools/list", given)
      yield* refusedAt(native({}), "tools/list", given)
      const again = yield* native({ user: "ada", admin: true })("tools/list", { cursor: given })
      assert.deepStrictEqual(namesOf([again["result"]], "tools"), [["n3", "n4", "n5"]])
    })
  )

  it.effect("D15: of what a caller saw is -32602 once the caller sees another list", () =>
    Effect.gen(function* () {
      const mcp = many(7).tool("last", { description: "Tested", visible: ({ admin }) => admin === true }, text)
      const { native } = yield* bothEras(mcp, {}, settings)
      const given = (yield* pages(native({ user: "ada", admin: true }), "tools/list"))[0].nextCursor
      yield* refusedAt(native({ user: "ada" }), "tools/list", given)
    })
  )

  it.effect("PAGE-04: of an older list is -32602; a list of the same entries is the same list", () =>
    Effect.gen(function* () {
      const entry = (name: string): ServedEntry<Listed & { readonly name: string }> => ({
        handler: { name, listing: JSON.stringify({ name }), visible: undefined, scopes: undefined },
        services: Context.empty()
      })
      const entries = names(7).map(entry)
      const table = new ListTable(({ name }) => name, entries)
      const row = listRow({
        method: "tools/list",
        member: "tools",
        table,
        hint: { ttlMs: 0, cacheScope: "public" },
        pageSize: 3,
        seal: new CursorSeal([]),
        dress: makeDress({ name: "suite", version: "1.0.0" })
      })
      const ask = (params: { readonly cursor?: string }) => {
        const inbound = {
          value: undefined,
          http: undefined,
          overHttp: false,
          context: {},
          principal: undefined,
          services: undefined,
          owner: "test"
        }
        const offered = {
          versions: [v2026_07_28.version],
          hasMethod: () => true,
          paramHeaders: () => [],
          session: () => "not-named" as const,
          scopes: () => [],
          challenge: () => ""
        }
        const answered = row(new Admitted(inbound, Message.request(1, "tools/list", params), offered))
        if (typeof answered === "string" || !("effect" in answered)) return assert.fail("it must run")
        return Effect.result(answered.effect(undefined as never)) as Effect.Effect<Result.Result<any, any>>
      }
      const cursorOf = (page: Result.Result<any, any>): string =>
        JSON.parse(`{${Result.getOrThrow(page).members}}`).nextCursor
      const given = cursorOf(yield* ask({}))
      assert.isTrue(Result.isSuccess(yield* ask({ cursor: given })))
      table.replace([...entries])
      assert.isTrue(Result.isSuccess(yield* ask({ cursor: given })))
      table.replace([...entries, entry("new")])
      const old = yield* ask({ cursor: given })
      assert.isTrue(Result.isFailure(old) && old.failure.code === -32602)
      assert.notStrictEqual(cursorOf(yield* ask({})), given)
    })
  )

  it.effect("D15: is taken by every process that has its key, under whatever name comes first, and by no other", () =>
    Effect.gen(function* () {
      const key = (id: string, byte: number) => ({ id, secret: new Uint8Array(32).fill(byte) })
      const [old, fresh] = [key("2026.07", 1), key("2026.08", 2)]
      const process = Effect.fnUntraced(function* (stateKeys: ReadonlyArray<StateKey>, count = 7, pageSize = 3) {
        const { native } = yield* bothEras(many(count), {}, { limits: { pageSize }, stateKeys })
        return native()
      })
      const first = yield* process([old])
      const given = (yield* pages(first, "tools/list"))[0].nextCursor
      for (const keys of [[old], [fresh, old], [old, fresh]]) {
        const again = yield* (yield* process(keys))("tools/list", { cursor: given })
        assert.deepStrictEqual(namesOf([again["result"]], "tools"), [["n3", "n4", "n5"]])
      }
      const impostor = key(old.id, 3)
      for (const keys of [[fresh], [impostor], [fresh, impostor], []]) {
        yield* refusedAt(yield* process(keys), "tools/list", given)
      }
      yield* refusedAt(yield* process([old], 8), "tools/list", given)
      yield* refusedAt(yield* process([old], 7, 2), "tools/list", given)
      const rotated = (yield* pages(yield* process([fresh, old]), "tools/list"))[0].nextCursor
      yield* refusedAt(first, "tools/list", rotated)
    })
  )

  it("PAGE-04: is answered over HTTP as any other error of parameters: in band", async () => {
    const fetch = McpHttp.fetch(many(7), settings)
    const list = async (params: object) => {
      const response = await fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": rawVersion,
            "mcp-method": "tools/list"
          },
          body: JSON.stringify(rawRequest(1, "tools/list", params))
        })
      )
      return { status: response.status, answer: await response.json() }
    }
    const { answer, status } = await list({})
    assert.deepStrictEqual([status, answer.result.tools.length], [200, 3])
    const next = await list({ cursor: answer.result.nextCursor })
    assert.deepStrictEqual([next.status, next.answer.result.tools.length], [200, 3])
    const wrong = await list({ cursor: "x" })
    assert.deepStrictEqual([wrong.status, wrong.answer.error.code], [200, -32602])
    await fetch.close()
  })
})

/**
 * Scopes of operations that a catalog runs: those of the operation are there before anything runs, as those of a tool.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parseChallenges } from "@treadle/protocol/http"
import { rawRequest } from "@treadle/testing"
import { Mcp, type Vouched } from "../../src/index.ts"
import { said, serving } from "../fixtures/calling.ts"
import { compatDoor, compatRequest } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { tokens } from "../fixtures/tokens.ts"

interface Ctx {
  readonly caller?: Vouched
  readonly admin?: boolean
}

const scopes = ["box:read", "box:write"]
const ran: Array<string> = []
const run = (what: string) => async () => {
  ran.push(what)
  return what
}
const plain = { description: "Tested" }
const readOnly = { ...plain, hints: { readOnly: true } }
const visible = ({ admin }: Ctx) => {
  if (admin === undefined) throw new Error("nobody said")
  return admin
}

const mcp = Mcp.make<Ctx>({ name: "suite", version: "1.0.0", principal: ({ caller }) => caller })
  .tool("book", { ...plain, scopes }, run("book"))
  .operation("open", readOnly, run("open"))
  .operation("lookup", { ...readOnly, scopes }, run("lookup"))
  .operation("refused", { ...plain, scopes }, run("refused"))
  .operation("hidden", { ...readOnly, scopes, visible: ({ admin }) => admin === true }, run("hidden"))
  .operation("thrower", { ...readOnly, scopes, visible }, run("thrower"))
  .catalog()

const params = (name: string) => ({ name: "invoke", arguments: { name } })

const clients = (settings: Parameters<typeof compatDoor>[1] = {}) =>
  Effect.map(compatDoor(mcp, settings), (door) => ({
    native: (given: object, context: Ctx, headers: Record<string, string> = {}) => {
      const message = rawRequest(1, "tools/call", given)
      return door.send(message, { context, headers: { ...headersOf(message), ...headers } })
    },
    compat: (given: object, context: Ctx) =>
      Effect.flatMap(door.open(undefined, { context }), (session) =>
        door.send(compatRequest(1, "tools/call", given), { context, session })
      ),
    respond: (given: object, authorization: string) =>
      Effect.promise(async () => {
        const message = rawRequest(1, "tools/call", given)
        return door.respond(message, { context: {}, headers: { ...headersOf(message), authorization } })
      })
  }))

describe("an operation with scopes", () => {
  it.effect("AUTH-22: is refused as a tool is, before anything runs, in both eras", () =>
    Effect.gen(function* () {
      const { compat, native } = yield* clients()
      for (const ask of [native, compat]) {
        for (const caller of [undefined, "ada", { id: "ada", scopes: ["box:read"] }]) {
          const context = caller === undefined ? {} : { caller }
          const before = ran.length
          const tool = yield* ask({ name: "book" }, context)
          const invoked = yield* ask(params("lookup"), context)
          assert.deepStrictEqual([invoked.status, ran.length], [403, before])
          const worded = JSON.stringify(tool.answer["error"]).replace("book", "invoke")
          assert.strictEqual(JSON.stringify(invoked.answer["error"]), worded)
          assert.deepStrictEqual(invoked.answer["error"].data, { scopes })
        }
        const caller = { id: "ada", scopes }
        assert.strictEqual(said((yield* ask(params("lookup"), { caller })).answer["result"]), "lookup")
        assert.strictEqual(said((yield* ask(params("open"), {})).answer["result"]), "open")
      }
    })
  )

  it.effect(
    "AUTH-22 D3: asks for none where it is hidden from the caller or would not be run, so that nothing tells of it",
    () =>
      Effect.gen(function* () {
        const { native } = yield* clients()
        for (const [name, text] of [
          ["hidden", /^There is no operation "hidden"\./],
          ["nowhere", /^There is no operation "nowhere"\./],
          ["refused", /^The operation "refused" is not marked as read-only/]
        ] as const) {
          const { answer, status } = yield* native(params(name), { admin: false })
          assert.strictEqual(status, 200)
          assert.match(said(answer["result"]), text)
        }
        assert.strictEqual((yield* native(params("hidden"), { admin: true })).status, 403)
        assert.strictEqual((yield* native(params("thrower"), {})).status, 403, "nothing runs where visible throws")
        for (const strange of [{ name: "invoke" }, { name: "invoke", arguments: { name: ["lookup"] } }]) {
          assert.strictEqual((yield* native(strange, {})).status, 200)
        }
        const misfit = { name: "invoke", arguments: { name: "lookup", arguments: "x" } }
        assert.strictEqual((yield* native(misfit, {})).status, 403)
      })
  )

  it.effect("AUTH-22: is named in the challenge, so that a client may get a token for it", () =>
    Effect.gen(function* () {
      const { respond } = yield* clients({ auth: tokens({ little: [] }) })
      const response = yield* respond(params("lookup"), "Bearer little")
      assert.strictEqual(response.status, 403)
      const [challenge] = parseChallenges(response.headers.get("www-authenticate") ?? "")
      assert.strictEqual(challenge?.parameters.get("error"), "insufficient_scope")
      assert.includeMembers((challenge?.parameters.get("scope") ?? "").split(" "), scopes)
    })
  )

  it.effect("AUTH-22: needs none in the same process", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(mcp, {})
      assert.strictEqual(said(yield* result("invoke", { name: "lookup" })), "lookup")
    })
  )
})

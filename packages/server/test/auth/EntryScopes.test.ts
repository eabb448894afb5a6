/**
 * Scopes of tools, resources and prompts: all of them are there before anything runs, in both eras, and whoever lacks one
 * is told which.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { parseChallenges } from "@treadle/protocol/http"
import { rawAsk, rawRequest, rawToolCall, type RawMessage } from "@treadle/testing"
import { McpHttp } from "../../src/http.ts"
import { McpRouter } from "../../src/http-router/index.ts"
import { describeBuildError, Endpoint, Mcp, Prompt, type ProtectedResource, type Vouched } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { serving } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { compatCall, compatDoor, compatPipe, compatRequest, initialize, type Sending } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { tokens } from "../fixtures/tokens.ts"

interface Ctx {
  readonly caller?: Vouched
  readonly admin?: boolean
}

const ran: Array<string> = []
const run = (what: string) => async () => {
  ran.push(what)
  return what
}
const scopes = ["box:read", "box:write"]
const onlyAdmins = ({ admin }: Ctx) => {
  if (admin === undefined) throw new Error("nobody said")
  return admin
}

const mcp = Mcp.make<Ctx>({
  name: "suite",
  version: "1.0.0",
  principal: ({ caller }) => caller,
  live: { resources: true }
})
  .tool("open", { description: "Tested" }, run("open"))
  .tool("book", { description: "Tested", scopes }, run("book"))
  .tool("hidden", { description: "Tested", scopes, visible: ({ admin }) => admin === true }, run("hidden"))
  .tool("thrower", { description: "Tested", scopes, visible: onlyAdmins }, run("thrower"))
  .resource({ uri: "box://free", name: "free" }, run("free"))
  .resource({ uri: "box://board", name: "board", scopes }, run("board"))
  .template({ uriTemplate: "box://shows/{id}", name: "show", scopes, complete: { id: () => ["1"] } }, async ({ id }) =>
    run(`show ${id}`)()
  )
  .prompt(
    "plan",
    { description: "Tested", scopes, arguments: { city: Schema.String }, complete: { city: () => ["Oslo"] } },
    async () => Prompt.user(await run("plan")())
  )

const needed: ReadonlyArray<readonly [method: string, params: object]> = [
  ["tools/call", { name: "book", arguments: {} }],
  ["resources/read", { uri: "box://board" }],
  ["resources/read", { uri: "box://bo%61rd" }],
  ["resources/read", { uri: "box://shows/1" }],
  ["prompts/get", { name: "plan", arguments: { city: "Oslo" } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "plan" }, argument: { name: "city", value: "" } }],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "box://shows/{id}" }, argument: { name: "id", value: "" } }
  ]
]

const eras: ReadonlyArray<readonly [string, ReadonlyArray<readonly [method: string, params: object]>]> = [
  ["native", [...needed, ["subscriptions/listen", { notifications: { resourceSubscriptions: ["box://shows/1"] } }]]],
  ["compat", [...needed, ["resources/subscribe", { uri: "box://board" }]]]
]

const bookEndpoint = Endpoint.make("b", { description: "Tested" })

/** Opens a stream of two endpoints with a token, and sends to the address that it names. */
const streamed = (name: string, bare: Mcp<never>, auth: ProtectedResource) =>
  Effect.gen(function* () {
    const door = yield* Effect.acquireRelease(
      Effect.sync(() => (name === "McpHttp.sse" ? McpHttp.sse(bare, { auth }) : McpNode.sse(bare, { auth }))),
      (one) => Effect.promise(() => one.close())
    )
    const port = name === "McpHttp.sse" ? 0 : yield* listening(door as ReturnType<typeof McpNode.sse>)
    const reach = (path: string, init: RequestInit) =>
      port === 0
        ? (door as ReturnType<typeof McpHttp.sse>)(new Request(`http://localhost${path}`, init))
        : fetch(`http://127.0.0.1:${port}${path}`, init)
    const authorization = "Bearer little"
    const opening = { headers: { accept: "text/event-stream", authorization } }
    const tail = eventTail(yield* Effect.promise(() => reach("/sse", opening)))
    const address = (yield* tail.next)?.data ?? ""
    const post = (message: RawMessage) =>
      Effect.promise(async () => {
        const headers = { "content-type": "application/json", authorization }
        const response = await reach(`/sse${address}`, { method: "POST", headers, body: JSON.stringify(message) })
        const text = await response.text()
        return {
          status: response.status,
          challenge: response.headers.get("www-authenticate") ?? "",
          json: text === "" ? undefined : JSON.parse(text)
        }
      })
    assert.strictEqual((yield* post(initialize())).status, 202)
    yield* tail.next
    return post
  })

/** A client of one era at the door of the web. */
const client = (era: string, settings: Parameters<typeof compatDoor>[1] = {}) =>
  Effect.gen(function* () {
    const door = yield* compatDoor(mcp, settings)
    const ask = (method: string, params: object, context: Ctx, headers: Record<string, string> = {}) =>
      Effect.gen(function* () {
        const sending = { context, headers } satisfies Sending
        if (era === "compat") {
          const session = yield* door.open(undefined, sending)
          return yield* door.send(compatRequest(1, method, params), { ...sending, session })
        }
        const message = rawRequest(1, method, params)
        return yield* door.send(message, { context, headers: { ...headersOf(message), ...headers } })
      })
    const challenged = (method: string, params: object, context: Ctx) =>
      Effect.promise(async () => {
        const message = rawRequest(1, method, params)
        return door.respond(message, { context, headers: headersOf(message) })
      })
    return { ask, challenged }
  })

describe.each(eras)("an entry with scopes, in the %s era", (era, cases) => {
  it.effect.each(cases)("AUTH-22: needs all of them: %s %o", ([method, params]) =>
    Effect.gen(function* () {
      const { ask } = yield* client(era)
      const before = ran.length
      for (const caller of [undefined, "ada", { id: "ada", scopes: ["box:read"] }]) {
        const seen = yield* ask(method, params, caller === undefined ? {} : { caller })
        assert.deepStrictEqual([seen.status, seen.answer["error"].code], [403, -32600], seen.text)
        assert.deepStrictEqual(seen.answer["error"].data, { scopes })
        assert.match(seen.answer["error"].message, /needs the scopes box:read box:write; /)
        assert.match(seen.answer["error"].message, /let principal of Mcp\.make return \{ id, scopes \}/)
      }
      assert.strictEqual(ran.length, before, "nothing has run")
    })
  )

  it.effect("AUTH-22: is served to whom the application gives them all", () =>
    Effect.gen(function* () {
      const { ask } = yield* client(era)
      const context: Ctx = { caller: { id: "ada", scopes: [...scopes, "other"] } }
      for (const [method, params] of cases.filter(([one]) => one !== "subscriptions/listen")) {
        const seen = yield* ask(method, params, context)
        assert.strictEqual(seen.status, 200, seen.text)
        assert.property(seen.answer, "result", seen.text)
      }
      assert.strictEqual((yield* ask("tools/call", { name: "open" }, {})).status, 200)
      assert.property((yield* ask("resources/read", { uri: "box://free" }, {})).answer, "result")
      assert.property((yield* ask("prompts/list", {}, {})).answer, "result")
    })
  )

  it.effect("AUTH-22: that a caller does not see is told from none that there is by nobody", () =>
    Effect.gen(function* () {
      const { ask } = yield* client(era)
      const told = (name: string) =>
        Effect.map(ask("tools/call", { name }, {}), ({ status, text }) => [status, text.replaceAll(name, "…")])
      assert.deepStrictEqual(yield* told("hidden"), yield* told("nothing"))
      assert.strictEqual((yield* ask("tools/call", { name: "hidden" }, { admin: true })).status, 403)
    })
  )

  it.effect("AUTH-22: never runs without them where the author's visible throws", () =>
    Effect.gen(function* () {
      const { ask } = yield* client(era)
      assert.strictEqual((yield* ask("tools/call", { name: "thrower" }, {})).status, 403)
      const seen = yield* ask("tools/call", { name: "thrower" }, { caller: { id: "ada", scopes } })
      assert.match(seen.answer["error"].message, /^Internal error/)
    })
  )

  it.effect("AUTH-24: is served to a token whose scopes imply them, over any number of steps", () =>
    Effect.gen(function* () {
      const implies = { admin: ["box:write"], "box:write": ["box:read"] }
      const auth = tokens({ chief: ["admin"], clerk: ["box:read"] }, { implies, required: ["box:read"] })
      const { ask } = yield* client(era, { auth })
      const book = (token: string) =>
        ask("tools/call", { name: "book" }, { caller: "ignored" }, { authorization: `Bearer ${token}` })
      assert.strictEqual((yield* book("chief")).status, 200)
      const refused = yield* book("clerk")
      assert.strictEqual(refused.status, 403)
      assert.match(refused.answer["error"].message, /; get a token that has them all$/)
    })
  )
})

describe("scopes that are missing", () => {
  it.effect("AUTH-22 AUTH-30: are challenged at once, with those of every request and where to get them", () =>
    Effect.gen(function* () {
      const auth = tokens({ little: ["mcp", "box:read"] }, { required: ["mcp"] })
      const door = yield* compatDoor(mcp, { auth })
      const message = rawToolCall(1, "book")
      const headers = { ...headersOf(message), authorization: "Bearer little" }
      const response = yield* Effect.promise(() => door.respond(message, { headers }))
      const [challenge] = parseChallenges(response.headers.get("www-authenticate") ?? "")
      assert.deepStrictEqual(Object.fromEntries(challenge?.parameters ?? []), {
        error: "insufficient_scope",
        scope: "mcp box:read box:write",
        resource_metadata: "https://Box.example/.well-known/oauth-protected-resource/mcp"
      })
      const { challenged } = yield* client("native")
      const open = yield* challenged("tools/call", { name: "book" }, {})
      assert.strictEqual(
        open.headers.get("www-authenticate"),
        'Bearer error="insufficient_scope", scope="box:read box:write"'
      )
    })
  )

  it.effect("AUTH-22: of one message of a batch are said in band", () =>
    Effect.gen(function* () {
      const door = yield* compatDoor(mcp)
      const session = yield* door.open("2025-03-26", { context: {} })
      const batch = [compatCall(1, "open"), compatCall(2, "book")] as unknown as RawMessage
      const seen = yield* door.send(batch, { session, context: {} })
      assert.strictEqual(seen.status, 200)
      const answers: ReadonlyArray<any> = JSON.parse(seen.text)
      assert.deepStrictEqual(answers.map(({ error, id }) => [id, error?.code]).toSorted(), [
        [1, undefined],
        [2, -32600]
      ])
    })
  )

  it.effect("are nothing to a caller in the same process, or on a pipe", () =>
    Effect.gen(function* () {
      const { peer } = yield* serving(mcp, {})
      assert.property(yield* rawAsk(peer, rawToolCall(1, "book")), "result")
      const pipe = yield* compatPipe(Mcp.make({ name: "suite", version: "1" }).add(mcp as unknown as Mcp<never>))
      assert.property(yield* rawAsk(pipe.peer, rawToolCall(2, "book")), "result")
    })
  )

  for (const name of ["McpNode.sse", "McpHttp.sse"]) {
    it.effect(`AUTH-22: are a 403 to a message of two endpoints too, and never run: ${name}`, () =>
      Effect.gen(function* () {
        const before = ran.length
        const auth = tokens({ little: ["box:read"] })
        const bare = Mcp.make({ name: "suite", version: "1" }).tool(
          "book",
          { description: "Tested", scopes },
          run("book")
        )
        const twice = yield* streamed(name, bare, auth)
        const seen = yield* twice(compatCall(3, "book"))
        assert.deepStrictEqual([seen.status, seen.json.error.code, seen.json.id], [403, -32600, 3])
        assert.include(seen.challenge, 'scope="box:read box:write"')
        assert.strictEqual(ran.length, before)
        assert.strictEqual((yield* twice(compatRequest(4, "ping"))).status, 202)
      })
    )
  }

  it.effect("come from principal of McpRouter as well", () =>
    Effect.gen(function* () {
      const bare = Mcp.make({ name: "suite", version: "1" }).tool(
        "book",
        { description: "Tested", scopes },
        run("book")
      )
      const layer = McpRouter.layer(bare, {
        path: "/mcp",
        principal: ({ headers }) => ({ id: "ada", scopes: (headers["x-scopes"] ?? "").split(" ") })
      })
      const web = HttpRouter.toWebHandler(Layer.provide(layer, HttpServer.layerServices), { disableLogger: true })
      yield* Effect.addFinalizer(() => Effect.promise(web.dispose))
      const message = rawToolCall(1, "book")
      for (const [given, status] of [
        ["box:read", 403],
        ["box:read box:write", 200]
      ] as const) {
        const headers = { ...headersOf(message), "x-scopes": given }
        const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(message) })
        assert.strictEqual((yield* Effect.promise(() => web.handler(request))).status, status)
      }
    })
  )

  it("are found out when the server is made: what is no scope, and offline_access (AUTH-30)", () => {
    const wrong = Mcp.make({ name: "suite", version: "1" })
      .tool("a", { description: "Tested", scopes: ["a b"] }, run("a"))
      .toolWith(bookEndpoint, { scopes: ["offline_access"] }, run("b"))
      .resource({ uri: "box://a", name: "a", scopes: "a" as never }, run("c"))
      .template({ uriTemplate: "box://{a}", name: "a", scopes: [""] }, run("d"))
      .prompt("p", { description: "Tested", scopes: ["é"] }, run("e"))
    assert.deepStrictEqual(
      Mcp.check(wrong).map((error) => describeBuildError(error).replace(/\(.*?\)/, "(…)")),
      [
        'tool "a" (…): scopes has "a b", which is no scope; write each by itself, without spaces.',
        'tool "b" (…): scopes has "offline_access", which is for clients to ask of their authorization server; leave it out.',
        'resource "box://a" (…): scopes must be an array; write scopes: ["files:read"].',
        'template "box://{a}" (…): scopes has "", which is no scope; write each by itself, without spaces.',
        'prompt "p" (…): scopes has "é", which is no scope; write each by itself, without spaces.'
      ]
    )
  })
})

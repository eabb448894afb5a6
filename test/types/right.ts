/**
 * Right programs: each line is something that a user writes, and the compiler must take.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { connect } from "@treadle/client/promise"
import type { McpError, McpSession } from "@treadle/client"
import type { Args } from "@treadle/protocol"
import {
  Arg,
  Change,
  Content,
  CurrentCall,
  Endpoint,
  Live,
  Mcp,
  ProtectedResource,
  Reply,
  ToolFailed,
  type McpBuildErrors,
  type TokenVerifier
} from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpRouter } from "@treadle/server/http-router"
import { McpNode, McpTest } from "@treadle/server/node"
import type { HttpRouter } from "effect/http/HttpRouter"
import type * as Scope from "effect/Scope"

type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(_?: T) => {}

class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String, remaining: Schema.Int }) {}
class ShowNotFound extends Schema.TaggedError<ShowNotFound>()("ShowNotFound", { id: Schema.Int }) {}
class Shows extends Context.Service<Shows, { get(id: number): Effect.Effect<Show, ShowNotFound> }>()("Shows") {
  static layer = Layer.succeed(Shows, { get: (id) => Effect.fail(new ShowNotFound({ id })) })
}
class CurrentUser extends Context.Service<CurrentUser, { readonly id: string }>()("CurrentUser") {}

// 1 one error, no array; hints with a false; route still checked
export const getShow = Endpoint.make("get_show", {
  description: "One bill",
  input: { id: Schema.Int },
  output: Show,
  errors: ShowNotFound,
  hints: { readOnly: true, openWorld: false },
  http: "GET /shows/:id"
})
// 2 defaults and optionals: the handler sees them filled, the caller may leave them out
export const list = Endpoint.make("list", {
  description: "x",
  input: {
    limit: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(20))),
    status: Schema.optionalKey(Schema.String)
  }
})
is<Eq<Args<(typeof list)["def"]["input"]>, { readonly limit?: number; readonly status?: string }>>()
// 3 no input, no output
export const ping = Endpoint.make("ping", { description: "is it up" })
// 4 a Struct, and Zod
export const opt = Endpoint.make("opt", {
  description: "x",
  input: Schema.Struct({ id: Schema.Int }),
  output: Schema.Array(Show)
})
export const zod = Endpoint.make("zod", {
  description: "x",
  input: z.object({ n: z.int().default(3), at: z.coerce.date() }),
  output: z.object({ ok: z.boolean() })
})
// 5 errors without classes
export const hold = Endpoint.make("hold", {
  description: "x",
  input: { show: Schema.Int },
  output: Show,
  errors: { SoldOut: { left: Schema.Int }, Closed: {} }
})

const mcp = Mcp.make({ name: "box", version: "1" })
  .tool(getShow, ({ id }) => Effect.flatMap(Shows, (s) => s.get(id)))
  .tool(
    getShow,
    Effect.fn("get_show")(function* ({ id }) {
      yield* CurrentUser
      return yield* (yield* Shows).get(id)
    })
  )
  .tool(getShow, async ({ id }, { fail }) =>
    id > 9 ? fail(new ShowNotFound({ id })) : new Show({ id, title: "t", remaining: 1 })
  )
  .tool(list, async ({ limit, status }) => `${limit.toFixed()} ${status?.length}`)
  .tool(ping, async () => "pong")
  .tool(ping, async () => {})
  .tool(ping, async (_, { progress, signal }) => {
    progress(1, 10, "one")
    signal.throwIfAborted()
  })
  .tool(ping, () => Effect.fail(new ToolFailed("not today")))
  .tool(zod, async ({ n, at }) => ({ ok: n > at.getTime() }))
  .tool(opt, async () => [new Show({ id: 1, title: "t", remaining: 1 })])
  .tool(hold, async ({ show }, { fail }) => fail({ _tag: "SoldOut", left: show }))
  .tool(getShow, async ({ id }) =>
    Reply.of(new Show({ id, title: "t", remaining: 1 }), Content.image(new Uint8Array(), "image/png"))
  )
  .tool(ping, () => Effect.succeed(Reply.text(Content.image(new Uint8Array(), "image/png"))))
// what steps give: interfaces, classes of fields, what may be missing, nothing
interface Held {
  readonly seats: ReadonlyArray<{ readonly row?: string; readonly number: number | null }>
  readonly note: string | undefined
}
export const steps = mcp.tool(ping, async (_, { step, fail }) => {
  const held = await step("held", async (): Promise<Held> => ({ seats: [{ number: 1 }], note: undefined }))
  is<Eq<typeof held, Held>>()
  const show = await step("show", () => new Show({ id: 1, title: "t", remaining: 1 }))
  const found = await step("found", (): "a" | undefined => undefined)
  is<Eq<typeof found, "a" | undefined>>()
  await step("nothing", async () => {})
  await step("never", () => fail("no"))
  return `${held.seats[0]?.row} ${show.title}`
})
export const effectStep: Effect.Effect<Held, ShowNotFound, CurrentCall | Shows> = CurrentCall.step(
  "held",
  Effect.as(
    Effect.flatMap(Shows, (s) => s.get(1)),
    { seats: [], note: "x" }
  )
)
const needs: Mcp<Shows | CurrentUser> = mcp

// 6 dependency provision: app layer once, request services at the door
export const app = McpRouter.layer(mcp.provide(Shows.layer), {
  path: "/mcp",
  request: (req) => Effect.succeed(Context.make(CurrentUser, { id: req.headers["x-user"] ?? "anonymous" }))
})
const noRequirementLeft: Layer.Layer<never, McpBuildErrors, HttpRouter> = app
export const fetch_ = McpHttp.fetch(mcp.provide(Shows.layer).provide(Layer.succeed(CurrentUser, { id: "u" })))

// 7 the client, both doors
declare const session: McpSession
const a = session.call(getShow)({ id: 1 })
export const b = session.call(list)()
export const c = session.call(list)({ limit: 3 })
export const d = session.call(ping)()
export const e = a.pipe(Effect.catchTag("ShowNotFound", (e) => Effect.succeed(e.id)))
export const f = a.pipe(Effect.catchReason("McpError", "TimedOut", (r) => Effect.succeed(r.after)))
export const g = a.pipe(
  Effect.catchReasons("McpError", { TimedOut: () => Effect.succeed(0), Unauthorized: (r) => Effect.succeed(r.server) })
)
export async function plain() {
  await using client = await connect("https://box.example/mcp")
  const show = await client.call(getShow)({ id: 1 })
  is<Eq<typeof show, Show>>()
  const box = client.bind({ getShow, list, ping, zod })
  await box.list()
  await box.ping()
  const z1 = await box.zod({ at: new Date() })
  z1.ok
  const r = await box.getShow.settled({ id: 9 }, { signal: AbortSignal.timeout(500) })
  if (r.ok) return r.value.title
  switch (r.error._tag) {
    case "ShowNotFound":
      return r.error.id
    case "McpError":
      return r.error.reason._tag
  }
}
// 8 contexts
const ctx = Mcp.make<{ user: { id: string; canRefund: boolean } }>({
  name: "x",
  version: "1",
  principal: (c) => c.user.id
})
  .tool("who", { description: "me" }, async (_, { context }) => context.user.id)
  .tool(
    "refund",
    { description: "x", input: { id: Schema.Int }, visible: (c) => c.user.canRefund },
    async ({ id }, { context }) => `${id} by ${context.user.id}`
  )
const u = { user: { id: "u", canRefund: false } }
export const direct = connect(ctx, u)
import type { IncomingMessage, ServerResponse } from "node:http"
declare const rq: IncomingMessage, rs: ServerResponse
McpNode.handler(ctx)(rq, rs, u)
McpNode.handler(mcp0())(rq, rs)
McpHttp.fetch(ctx)(new Request("x:"), u)
void McpNode.stdio(ctx, u)
// Workers: `env` is the context, with no code at all
interface Env {
  DB: { get(k: string): Promise<string> }
}
export default {
  fetch: McpHttp.fetch(
    Mcp.make<Env>({ name: "w", version: "1" }).tool(
      "get",
      { description: "x", input: { k: Schema.String } },
      async ({ k }, { context }) => context.DB.get(k)
    )
  )
} satisfies { fetch(r: Request, env: Env, c: { waitUntil(p: Promise<unknown>): void }): Promise<Response> }
function mcp0() {
  return Mcp.make({ name: "x", version: "1" }).tool(ping, async () => "pong")
}
export const list2 = Endpoint.make("list2", {
  description: "x",
  input: { limit: Arg.withDefault(Schema.Int, 20, "How many"), status: Arg.optional(Schema.String) }
})
is<Eq<Args<(typeof list2)["def"]["input"]>, { readonly limit?: number; readonly status?: string }>>()
// @ts-expect-error the default is checked
Arg.withDefault(Schema.Int, "20")
export const nodeEffect: Effect.Effect<unknown, McpBuildErrors, Shows | CurrentUser | Scope.Scope> = McpNode.scoped(mcp)
mcp.toolWith(getShow, { visible: () => true, timeout: 1_000 }, ({ id }) => Effect.flatMap(Shows, (s) => s.get(id)))
mcp.toolWith(getShow, { task: { begins: "later", ttl: null } }, ({ id }) => Effect.flatMap(Shows, (s) => s.get(id)))
export async function stream() {
  await using client = await connect(mcp0())
  const pending = client.call(list).open({ limit: 3 })
  for await (const p of pending.progress) if (p.done > 5) pending.cancel("enough")
  return pending.result
}
export async function anyAgent() {
  await using kb = await McpTest.listen(mcp0())
  await runMyAgent({ mcpServers: { kb: kb.url } })
  return kb.calls(list).map((c) => c.input.limit)
}
declare function runMyAgent(o: unknown): Promise<void>
export { needs, noRequirementLeft }
// 9 live changes: a part needs what the server needs, or less; the builder provides Live to handlers
const small = Mcp.make({ name: "part", version: "1" }).tool(ping, async () => "part")
export async function plugging() {
  const door = McpHttp.fetch(ctx)
  await door.live.add(ctx)
  await door.live.replace(small)
  const gone = await door.live.remove({ tools: ["ping"], resources: ["x://y"] })
  door.live.changed(Change.tools)
  return gone.tools.join()
}
const growing: Mcp<never> = Mcp.make({ name: "grow", version: "1", live: { tools: true, prompts: false } }).tool(
  ping,
  () => Effect.mapError(Live.add(small), ({ message }) => new ToolFailed(message))
)
export const watched = Layer.provideMerge(
  Layer.effectDiscard(Effect.forkScoped(Live.replace(small))),
  McpRouter.layer(growing, { path: "/mcp" })
)
export const handles = Effect.gen(function* () {
  const served = yield* Mcp.served(needs)
  yield* served.live.add(needs)
  yield* served.live.add(small)
  const handler = yield* McpNode.scoped(ctx)
  yield* handler.live.add(small)
})
const needed: Effect.Effect<void, McpBuildErrors, Shows | CurrentUser | Scope.Scope> = handles
export { needed }
// 10 protecting: a principal says what vouches for it, and an application may say what its callers may do
export const guarded = (verifier: TokenVerifier) =>
  McpHttp.fetch(
    Mcp.make({ name: "box", version: "1" })
      .tool("who", { description: "x", scopes: ["box:read"] }, async (_, { principal }) =>
        principal?.via === "token" ? principal.issuer : principal?.via === "certificate" ? principal.subject : ""
      )
      .toolWith(ping, { scopes: ["box:read"] }, async () => "pong"),
    {
      auth: ProtectedResource.make({
        resource: "https://box.example/mcp",
        authorizationServers: ["https://login.example"],
        verifier,
        scopes: { required: ["box:read"], implies: { "box:admin": ["box:read"] } }
      })
    }
  )
export const vouching = Mcp.make<{ user?: { id: string; roles: ReadonlyArray<string> } }>({
  name: "box",
  version: "1",
  principal: ({ user }) => (user === undefined ? undefined : { id: user.id, scopes: user.roles })
})
// 11 operations that are no tools: typed as tools, needed services included; a catalog decides by their contracts
const behind: Mcp<Shows> = Mcp.make({ name: "box", version: "1" })
  .operation(getShow, ({ id }) => Effect.flatMap(Shows, (s) => s.get(id)), { scopes: ["box:read"], timeout: 1_000 })
  .operation(ping, async () => "pong")
  .operation(
    "refund",
    { description: "x", input: { id: Schema.Int }, output: z.object({ ok: z.boolean() }), scopes: ["box:write"] },
    async ({ id }, { fail }) => (id > 0 ? { ok: true } : fail("No order"))
  )
  .catalog({ allow: ["refund"] })
export const catalogs = [
  behind,
  Mcp.make({ name: "x", version: "1" }).catalog(),
  Mcp.make({ name: "x", version: "1" }).catalog({ allow: ({ about, name }) => about.hints?.idempotent ?? name === "a" })
]
export const mine = Mcp.make<{ admin: boolean }>({ name: "x", version: "1" }).operation(ping, async () => "pong", {
  visible: ({ admin }) => admin
})
/** The contract of an operation, called through `invoke`. */
const invokeGetShow = Endpoint.make("invoke", {
  description: "x",
  input: { name: Schema.Literal("get_show"), arguments: Schema.Struct(getShow.def.input) },
  output: getShow.def.output,
  errors: getShow.def.errors
})
declare const at: McpSession
const invoked: Effect.Effect<Show, ShowNotFound | McpError> = at.call(invokeGetShow)({
  name: "get_show",
  arguments: { id: 1 }
})
export { invoked }

/**
 * Right programs with the operations of an HttpApi: what follows from the api alone.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { McpError, McpSession } from "@treadle/client"
import type { ArgsOf } from "@treadle/protocol/endpoint"
import { Mcp, type Live, type McpBuildErrors } from "@treadle/server"
import { HttpApiTools, type OperationName } from "@treadle/server/http-api"
import { McpRouter } from "@treadle/server/http-router"
import { McpNode } from "@treadle/server/node"

type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(): T | undefined => undefined

class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String }) {}
class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.Int }) {}
class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}
class Bearer extends HttpApiMiddleware.Service<Bearer>()("Bearer", { error: Unauthorized }) {}

const get = HttpApiEndpoint.get("get", "/shows/:id", {
  params: { id: Schema.NumberFromString },
  success: Show,
  error: NotFound
})
const put = HttpApiEndpoint.put("put", "/shows/:id", {
  params: { id: Schema.NumberFromString },
  query: {
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    limit: Schema.FiniteFromString.pipe(Schema.withDecodingDefaultKey(Effect.succeed("1")))
  },
  headers: { "x-tenant": Schema.String, "x-agent": Schema.String },
  payload: Schema.Struct({ title: Schema.String }),
  success: HttpApiSchema.WithHeaders(Schema.Struct({ done: Schema.Boolean }), { etag: Schema.String })
})
const many = HttpApiEndpoint.post("many", "/many", { payload: Schema.Array(Schema.Int), success: Schema.Int })
const clear = HttpApiEndpoint.delete("clear", "/shows")

export class BoxApi extends HttpApi.make("box")
  .add(HttpApiGroup.make("shows").add(get, put, many, clear))
  .middleware(Bearer) {}

// 1 names
is<Eq<OperationName<typeof BoxApi>, "shows.get" | "shows.put" | "shows.many" | "shows.clear">>()
export const tools = HttpApiTools.make(BoxApi, {
  get_show: "shows.get",
  put_show: { operation: "shows.put", description: "Puts", hints: { idempotent: true }, headers: ["x-tenant"] },
  put_nested: { operation: "shows.put", nestPayload: true },
  add: "shows.many",
  clear: "shows.clear"
})
const { contract } = tools
// 2 arguments: as JSON, what has a default may be left out, headers by choice
is<Eq<ArgsOf<typeof contract.get_show>, { readonly id: number }>>()
is<
  Eq<
    ArgsOf<typeof contract.put_show>,
    {
      readonly id: number
      readonly title: string
      readonly "x-tenant": string
      readonly tags?: ReadonlyArray<string>
      readonly limit?: number
    }
  >
>()
is<Eq<ArgsOf<typeof contract.put_nested>["payload"], { readonly title: string }>>()
is<Eq<ArgsOf<typeof contract.add>, { readonly payload: ReadonlyArray<number> }>>()
// 3 values, and errors with those of the middleware
declare const session: McpSession
const one = session.call(contract.get_show)({ id: 1 })
is<Eq<typeof one, Effect.Effect<Show, NotFound | Unauthorized | McpError>>>()
const done = session.call(contract.put_show)({ id: 1, title: "x", "x-tenant": "a" })
is<Eq<typeof done, Effect.Effect<{ readonly done: boolean }, Unauthorized | McpError>>>()
const cleared = session.call(contract.clear)()
is<Eq<typeof cleared, Effect.Effect<void, Unauthorized | McpError>>>()
// 4 the router is all that it needs; a layer of the routes is one
const mcp = Mcp.make({ name: "box", version: "1" }).add(tools.mcp)
is<Eq<typeof mcp, Mcp<HttpRouter.HttpRouter>>>()
declare const ApiLive: Layer.Layer<never, never, HttpRouter.HttpRouter>
export const routes: Layer.Layer<Live, McpBuildErrors, HttpRouter.HttpRouter> = McpRouter.layer(mcp, { path: "/mcp" })
export const handler = McpNode.handler(mcp.provide(HttpApiTools.layer(ApiLive)))

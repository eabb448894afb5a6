/** Right programs about routes: what each call gives and takes. */
import { Endpoint, Live, Mcp, type McpBuildErrors } from "@treadle/server"
import { HttpRoutes, type RouteFailure, type RouteProblem } from "@treadle/server/http-api"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as z from "zod"

type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(): T | undefined => undefined

class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.Int }, { httpApiStatus: 404 }) {}

// 1 fields, schemas and other libraries' objects have fields that a path may name
const get = Endpoint.make("get", {
  description: "x",
  input: { id: Schema.Int, row: Schema.optionalKey(Schema.String) },
  output: Schema.String,
  errors: NotFound,
  http: "GET /shows/:id"
})
const struct = Endpoint.make("struct", {
  description: "x",
  input: Schema.Struct({ id: Schema.Int }),
  http: "DELETE /shows/:id"
})
const zod = Endpoint.make("zod", {
  description: "x",
  input: z.object({ id: z.int(), row: z.string().default("A") }),
  http: "PUT /shows/:id/rows/:row"
})
const either = Endpoint.make("either", {
  description: "x",
  input: z.union([z.object({ id: z.int(), a: z.string() }), z.object({ id: z.int(), b: z.string() })]),
  http: "POST /shows/:id"
})
const none = Endpoint.make("none", { description: "x", http: "GET /" })
declare const later: string
export const dynamic = Endpoint.make("dynamic", { description: "x", http: later })

// 2 the layer fails with build errors, and needs the router and what the handlers need, less what requests bring
declare const user: Context.Service<"User", string>
const mcp = Mcp.make({ name: "box", version: "1" })
  .tool(get, () => Effect.as(user, "x"))
  .operation(struct, async () => undefined)
is<Eq<ReturnType<typeof HttpRoutes.layer<"User">>, Layer.Layer<Live, McpBuildErrors, "User" | HttpRouter.HttpRouter>>>()
export const provided: Layer.Layer<Live, McpBuildErrors, HttpRouter.HttpRouter> = HttpRoutes.layer(mcp, {
  request: (): Effect.Effect<Context.Context<"User">> => Effect.never
})
export const api: Result.Result<HttpApi.Top, McpBuildErrors> = HttpRoutes.api(mcp)

// 3 a client by contract
export const called = Effect.gen(function* () {
  const box = yield* HttpRoutes.client({ get, struct, zod, either, none }, { baseUrl: "https://box.example" })
  const one = box.get({ id: 1 })
  is<Eq<typeof one, Effect.Effect<string, NotFound | RouteFailure<typeof get>>>>()
  is<Eq<RouteFailure<typeof get>, NotFound | RouteProblem | HttpClientError.HttpClientError | Schema.SchemaError>>()
  yield* box.zod({ id: 1 })
  yield* box.either({ id: 1, b: "x" })
  const text = box.none()
  is<Eq<Effect.Success<typeof text>, string>>()
  return box
})
is<Eq<Effect.Services<typeof called>, HttpClient.HttpClient>>()

// 4 a definition without a shared contract may have one too, checked against its input
export const inline = Mcp.make({ name: "box", version: "1" })
  .tool("half", { description: "x", input: { n: Schema.Int }, http: "GET /half/:n" }, async ({ n }) => String(n / 2))
  .operation("zed", { description: "x", input: z.object({ n: z.int() }), http: "GET /zed/:n" }, async ({ n }) => `${n}`)

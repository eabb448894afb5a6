/**
 * Operations of an existing `HttpApi` as tools. Nothing is written a second time: arguments, values and errors are those
 * of the endpoint, and the operation runs through the api's own router, middleware and security.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { endpointOf, toolShape, type AnyEndpoint } from "@treadle/protocol/endpoint"
import { namesOf, nearestNames } from "@treadle/protocol/json"
import { noEntries, type OperationEntry } from "../handler/Entry.ts"
import { placeBelow } from "../handler/Place.ts"
import { Mcp } from "../Mcp.ts"
import type { Place } from "../McpBuildError.ts"
import {
  errorsOf,
  obstaclesOf,
  operationsOf,
  saidOf,
  successOf,
  type ApiOperation,
  type Obstacle
} from "./ApiOperation.ts"
import { argumentTable } from "./ArgumentTable.ts"
import { addressesOf, type Addresses } from "./OperationRequest.ts"
import { promotedOperation } from "./PromotedOperation.ts"
import type { AnyApi, Checked, Contracts, Promotion, Promotions } from "./PromotedTypes.ts"

/** Promoted operations: a part to add to a server, and the contracts that clients call it by. */
export interface PromotedApi<A extends AnyApi, T> {
  /** Add it to a server. It needs the router that the api is served by. */
  readonly mcp: Mcp<HttpRouter.HttpRouter>
  /** The contract of each tool: `session.call(tools.contract.get_show)`. */
  readonly contract: Contracts<A, T>
}

/** An endpoint of which no tool can be made, with every reason. */
const unpromotable = (name: string, description: string, obstacles: ReadonlyArray<Obstacle>): AnyEndpoint => ({
  name,
  def: {},
  about: { description },
  shape: {
    ...toolShape({}),
    faults: obstacles.map((obstacle) => ({ _tag: "NotPromotable", ...obstacle }))
  }
})

/** What is done with every entry of one `make`. */
interface Promoting {
  readonly operations: ReadonlyMap<string, ApiOperation>
  readonly addresses: () => Addresses
  readonly place: Place
}

const unknownOperation = (name: unknown, { operations }: Promoting): Obstacle => ({
  message: `${JSON.stringify(name)} is no operation of the api`,
  cure: `It has ${[...operations.keys()].map((known) => JSON.stringify(known)).join(", ")}`
})

const settingNames = namesOf<Promotion<string>>({
  operation: true,
  tool: true,
  description: true,
  title: true,
  hints: true,
  icons: true,
  meta: true,
  scopes: true,
  timeout: true,
  headers: true,
  nestPayload: true
})

/** What the types forbid, and plain JavaScript does not. */
const settingObstacles = (promotion: Promotion<string>): ReadonlyArray<Obstacle> => {
  const unknown = Object.keys(promotion).filter((name) => !settingNames.includes(name))
  const untrue = (["tool", "nestPayload"] as const).filter((name) => typeof (promotion[name] ?? false) !== "boolean")
  return [
    ...unknown.map((name) => {
      const [meant] = nearestNames(name, settingNames, 1)
      const cure = meant === undefined ? `It may have ${settingNames.join(", ")}` : `Write ${meant}`
      return { message: `${JSON.stringify(name)} says nothing of an operation`, cure }
    }),
    ...untrue.map((name) => ({ message: `${name} is ${JSON.stringify(promotion[name])}`, cure: "Write true or false" }))
  ]
}

const entryOf = (tool: string, promotion: Promotion<string>, promoting: Promoting): OperationEntry => {
  const { headers = [], hints, icons, meta, nestPayload = false, operation: name, scopes, timeout } = promotion
  const { tool: promoted = true } = promotion
  const { addresses, operations, place } = promoting
  const entry = { place, layers: [], settings: { scopes, timeout }, promoted }
  const operation = operations.get(name)
  if (operation === undefined) {
    const endpoint = unpromotable(tool, "unknown", [unknownOperation(name, promoting)])
    return { ...entry, endpoint, handler: () => undefined }
  }
  const { endpoint } = operation
  const said = saidOf(endpoint)
  const { description = said.description ?? "", title = said.title } = promotion
  const table = argumentTable(endpoint, headers, nestPayload)
  const obstacles = [...settingObstacles(promotion), ...obstaclesOf(operation), ...table.obstacles]
  if (obstacles.length > 0) {
    return { ...entry, endpoint: unpromotable(tool, description, obstacles), handler: () => undefined }
  }
  const success = successOf(operation)
  const contract = endpointOf(tool, {
    description,
    input: table.fields,
    errors: errorsOf(operation),
    ...(success === undefined ? {} : { output: success }),
    ...(title === undefined ? {} : { title }),
    ...(hints === undefined ? {} : { hints }),
    ...(icons === undefined ? {} : { icons }),
    ...(meta === undefined ? {} : { meta })
  })
  let run: ReturnType<typeof promotedOperation> | undefined
  const handler = (args: Readonly<Record<string, unknown>>) =>
    (run ??= promotedOperation(tool, operation, table, addresses()))(args)
  return { ...entry, endpoint: contract, handler }
}

/**
 * Makes tools of operations.
 *
 * Path parameters, query, chosen headers and payload become arguments side by side, as JSON: a number in the path is a
 * number. The operation runs through the router with the headers of the caller, so that its security decides as over
 * HTTP. What it declares to fail with, and what its middleware declares, comes back as an error of the tool.
 *
 * What cannot be a tool (streams, uploads, upgrades, bodies that are not JSON, two arguments of one name) is an error of
 * the build, `NotPromotable`.
 *
 * @param api the `HttpApi`
 * @param tools the name of each tool, with its operation as `group.endpoint`, or with more about it
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { HttpApiTools } from "@treadle/server/http-api"
 * import * as HttpApi from "effect/http-api/HttpApi"
 * import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
 * import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
 * import * as Schema from "effect/Schema"
 *
 * const get = HttpApiEndpoint.get("get", "/shows/:id", { params: { id: Schema.Int }, success: Schema.String })
 * const api = HttpApi.make("box").add(HttpApiGroup.make("shows").add(get))
 * const tools = HttpApiTools.make(api, { get_show: { operation: "shows.get", description: "One bill" } })
 *
 * Mcp.check(Mcp.make({ name: "box", version: "1.0.0" }).add(tools.mcp)) // => []
 * tools.contract.get_show.shape.inputSchema
 * // => { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
 * ```
 */
const make = <A extends AnyApi, const T extends Promotions<A>>(api: A, tools: T & Checked<T>): PromotedApi<A, T> => {
  const place = placeBelow(make)
  const top = api as unknown as HttpApi.Top
  let addresses: Addresses | undefined
  const promoting = { operations: operationsOf(top), addresses: () => (addresses ??= addressesOf(top)), place }
  const entries = Object.entries(tools as Promotions<AnyApi>).map(([tool, what]) =>
    entryOf(tool, typeof what === "object" && what !== null ? what : { operation: what }, promoting)
  )
  const version = Context.getOrUndefined(top.annotations, OpenApi.Version) ?? "0.0.1"
  const promoted = { definition: { entries: { ...noEntries, operations: entries } } }
  return {
    mcp: Mcp.make({ name: api.identifier, version }).add(promoted as unknown as Mcp<HttpRouter.HttpRouter>),
    contract: Object.fromEntries(entries.map(({ endpoint }) => [endpoint.name, endpoint])) as unknown as Contracts<A, T>
  }
}

/** What a layer of routes still needs, beside the router and what the requests themselves bring. */
type Needs<R> =
  | Exclude<HttpRouter.Request.Without<R>, HttpRouter.HttpRouter | Layer.Success<typeof HttpServer.layerServices>>
  | HttpRouter.Request.Only<"Requires", R>
  | HttpRouter.Request.Only<"GlobalRequires", R>

/**
 * A router with the routes of an application, for tools whose door is not in an `HttpRouter` of its own: on
 * `McpNode`, `McpHttp` and in process. `tools.mcp.provide(HttpApiTools.layer(ApiLive))`.
 *
 * @param routes what `HttpApiBuilder.layer` gives, with its handlers
 */
const layer = <E, R>(routes: Layer.Layer<never, E, R>): Layer.Layer<HttpRouter.HttpRouter, E, Needs<R>> =>
  Layer.provideMerge(routes, HttpRouter.layer).pipe(Layer.provide(HttpServer.layerServices)) as unknown as Layer.Layer<
    HttpRouter.HttpRouter,
    E,
    Needs<R>
  >

/** Makes tools of the operations of an `HttpApi`. */
export const HttpApiTools = { make, layer }

/**
 * HTTP on both sides: operations of an Effect `HttpApi` as tools, and the routes of a server. It loads Effect's HTTP
 * modules, so it is an entry point of its own.
 */
export { HttpApiTools, type PromotedApi } from "./HttpApiTools.ts"
export { HttpRoutes, type ApiSettings, type RoutesDoor, type RoutesOptions } from "./HttpRoutes.ts"
export type { AnyApi, Contracts, OperationName, Promotion, Promotions } from "./PromotedTypes.ts"
export { RouteProblem } from "./RouteApi.ts"
export type { RouteClient, RouteClientSettings, RouteContracts, RouteFailure } from "./RouteClient.ts"

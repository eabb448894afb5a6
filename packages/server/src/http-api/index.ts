/** Operations of an Effect `HttpApi` as tools. It loads Effect's HTTP modules, so it is an entry point of its own. */
export { HttpApiTools, type PromotedApi } from "./HttpApiTools.ts"
export type { AnyApi, Contracts, OperationName, Promotion, Promotions } from "./PromotedTypes.ts"

/** What the built file holds. Each subpath's own index says which of it is public there. */
export * from "./endpoint/index.ts"
export * from "./era/index.ts"
export * from "./framing/index.ts"
export * from "./http/index.ts"
export * from "./json/index.ts"
export * from "./rpc/index.ts"
export * from "./schema/index.ts"
export * from "./trace/index.ts"

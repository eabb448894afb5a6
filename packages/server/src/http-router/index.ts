/** The door of an Effect HTTP application. It loads Effect's HTTP modules, so it is an entry point of its own. */
export { McpRouter, Refusal, type RouterOptions } from "./McpRouter.ts"

/** The door of an Effect HTTP application. It loads Effect's HTTP modules, so it is an entry point of its own. */
export { McpRouter, type RouterOptions } from "./McpRouter.ts"
export { Refusal } from "./RouterDoor.ts"

/** Toolkits of `effect/ai` as tools. It loads Effect's modules for models, so it is an entry point of its own. */
export { ToolkitTools, type ToolkitPart, type ToolkitSettings } from "./ToolkitTools.ts"
export type { AnyTools, ToolkitContracts } from "./ToolkitTypes.ts"

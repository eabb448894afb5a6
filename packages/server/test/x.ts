import * as Effect from "effect/Effect"
import { Mcp, Endpoint, type Handler, type ToolOptions, type Answer } from "../src/index.ts"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
const e = Endpoint.make("e", { description: "" })
declare const f: <X extends AnyEndpoint, R2 = never>(endpoint: X, handler: Handler<X, {}, R2>, options?: ToolOptions<{}>) => void
f(e, () => Effect.succeed("x"), { timeout: 3 })
const opt: ToolOptions<{}> = { timeout: 3 }
const m = Mcp.make({ name: "", version: "" })
export const c1 = m.tool<typeof e, never>(e, () => Effect.succeed("x"), opt)

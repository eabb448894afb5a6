/**
 * The arguments of a tool that headers repeat, as the ladder asks for them.
 */
import type { ParamHeader } from "@treadle/protocol/http"
import { own } from "@treadle/protocol/json"
import type { Request } from "@treadle/protocol/rpc"
import type { ToolHandler } from "../../handler/ToolHandler.ts"
import type { ListTable } from "./ListTable.ts"

const none: ReadonlyArray<ParamHeader> = []

/** None where the caller does not see the tool, so that nothing tells it from a tool that is not there. */
export const toolHeaders =
  (tools: ListTable<ToolHandler>) =>
  ({ method, params }: Request, context: unknown): ReadonlyArray<ParamHeader> => {
    const name = method === "tools/call" ? own(params, "name") : undefined
    if (typeof name !== "string") return none
    const headers = tools.get(name)?.handler.headers
    if (headers === undefined || headers.length === 0) return none
    try {
      return tools.find(name, context) === undefined ? none : headers
    } catch {
      // The call asks again, and reports what the author's function throws.
      return none
    }
  }

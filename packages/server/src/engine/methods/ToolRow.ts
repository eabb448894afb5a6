/**
 * The row of `tools/call`.
 */
import { isRecord, own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import type { Admitted } from "../../envelope/Admitted.ts"
import type { ToolHandler } from "../../handler/ToolHandler.ts"
import { defectReply } from "../../reply/ToolReply.ts"
import type { ServedEntry } from "../offer/ListTable.ts"
import type { Offer } from "../offer/Offer.ts"
import type { Tasks } from "../tasks/Tasks.ts"
import type { Answered, Row, Running } from "./Row.ts"
import { asTask } from "./TaskRows.ts"

const running = ({ handler, lease, services }: ServedEntry<ToolHandler>, args: unknown): Running => ({
  name: handler.name,
  effect: (call) => handler.run(args, call),
  services,
  lease,
  timeout: handler.timeout,
  once: handler.once,
  died: defectReply
})

/** A call of a tool: an ordinary one, unless the tool says otherwise and tasks are served. */
const calling = (entry: ServedEntry<ToolHandler>, args: unknown, request: Admitted, tasks?: Tasks): Answered => {
  const ordinary = running(entry, args)
  const { scopes, task } = entry.handler
  return task === undefined || tasks === undefined || request.revision.era === "compat"
    ? ordinary
    : asTask(ordinary, task, scopes, request, tasks)
}

/** Calls a tool, or the operation that it runs in its own place (TOOL-10). @param tasks none, where there never are any */
export const toolRow =
  ({ catalog, tools }: Offer, tasks: Tasks | undefined): Row =>
  (candidate) => {
    const { inbound, request } = candidate
    const name = own(request.params, "name")
    if (typeof name !== "string") return RpcError.invalidParams(`params.name must be the name of a tool`)
    const args = own(request.params, "arguments")
    if (args !== undefined && !isRecord(args)) return RpcError.invalidParams("params.arguments must be an object")
    const tool = tools.find(name, inbound.context)
    if (tool === undefined) return RpcError.invalidParams(`Unknown tool ${JSON.stringify(name)}; see tools/list`)
    const invoked = catalog.invoked(name, request.params, inbound.context)
    return invoked === undefined
      ? calling(tool, args ?? {}, candidate, tasks)
      : calling(invoked.entry, invoked.args, candidate, tasks)
  }

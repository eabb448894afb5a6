/**
 * One row a method: what is answered at once, or what runs. A method without a row is not served.
 */
import type { Era } from "@treadle/protocol/era"
import { methodRow, RpcError, type MethodName } from "@treadle/protocol/rpc"
import { declaresTasks } from "@treadle/protocol/schema"
import { listHint } from "../reply/ListReply.ts"
import type { Limits } from "../Limits.ts"
import type { ListHints } from "../ServerInfo.ts"
import type { StateKey } from "../StateKey.ts"
import { completionRow } from "./methods/CompletionRow.ts"
import { CursorSeal } from "./methods/CursorSeal.ts"
import { listen } from "./methods/Listen.ts"
import { logLevelRow } from "./methods/LogLevelRow.ts"
import { discoverRow, initializeRow, type OpeningParts } from "./methods/OpeningRows.ts"
import { listRow } from "./methods/Pages.ts"
import { promptRow } from "./methods/PromptRow.ts"
import { readRow } from "./methods/ReadRow.ts"
import type { Row } from "./methods/Row.ts"
import { subscribe, unsubscribe } from "./methods/Subscribe.ts"
import { taskRows } from "./methods/TaskRows.ts"
import { toolRow } from "./methods/ToolRow.ts"
import type { Hub } from "./offer/Hub.ts"
import type { Listed, ListTable } from "./offer/ListTable.ts"
import type { Offer } from "./offer/Offer.ts"
import type { Tasks } from "./tasks/Tasks.ts"

/** What the rows are made of. */
export interface DispatchParts extends OpeningParts {
  readonly offer: Offer
  readonly hub: Hub
  readonly limits: Limits
  /** What cursors are sealed with; a key of this process, where there is none. */
  readonly stateKeys: ReadonlyArray<StateKey>
  /** The tasks that calls become, where the capabilities say that there are any. */
  readonly tasks: Tasks
  /** Whether the list of resources stays as it was at the start. */
  readonly settled: boolean
}

type Rows = ReadonlyArray<readonly [method: MethodName, row: Row]>

/** A row of what a session remembers; where none is kept, it is not served. */
const inSession =
  (row: Row): Row =>
  (request) =>
    request.session?.standsAlone === true
      ? RpcError.methodNotFound(
          `This server keeps no sessions, so it does not serve ${JSON.stringify(request.request.method)}`
        )
      : row(request)

/** The rows of what clients were told that there is: lists, what is on them, and what a session remembers (PAGE-05). */
const offeredRows = (parts: DispatchParts, tasks: Tasks | undefined): Rows => {
  const { cache, capabilities, dress, limits, offer, settled, stateKeys } = parts
  const { completions, logging, prompts, resources, tools } = capabilities
  const common = { dress, pageSize: limits.pageSize, seal: new CursorSeal(stateKeys) }
  const list = <H extends Listed>(
    method: MethodName,
    member: string,
    table: ListTable<H>,
    hint: ListHints["tools"]
  ): Rows[number] => [method, listRow({ ...common, method, member, table, hint: listHint(hint) })]
  const where = (declared: unknown, rows: Rows): Rows => (declared === undefined ? [] : rows)
  return [
    ...where(tools, [["tools/call", toolRow(offer, tasks)], list("tools/list", "tools", offer.tools, cache.tools)]),
    ...where(resources, [
      ["resources/read", readRow(offer)],
      list("resources/list", "resources", offer.resources, cache.resources),
      list("resources/templates/list", "resourceTemplates", offer.templates, cache.templates)
    ]),
    ...where(resources?.subscribe, [
      ["resources/subscribe", inSession(subscribe(limits, offer, settled))],
      ["resources/unsubscribe", inSession(unsubscribe())]
    ]),
    ...where(prompts, [
      ["prompts/get", promptRow(offer)],
      list("prompts/list", "prompts", offer.prompts, cache.prompts)
    ]),
    ...where(completions, [["completion/complete", completionRow(offer, dress)]]),
    ...where(logging, [["logging/setLevel", inSession(logLevelRow)]])
  ]
}

/** The methods that are served. */
export const makeDispatch = (parts: DispatchParts): ReadonlyMap<string, Row> => {
  const tasks = declaresTasks(parts.capabilities) ? parts.tasks : undefined
  return new Map<string, Row>([
    ["server/discover", discoverRow(parts)],
    ["initialize", initializeRow(parts)],
    ["ping", () => "{}"],
    ["subscriptions/listen", listen({ ...parts, tasks })],
    ...(tasks === undefined ? [] : taskRows(tasks, parts.dress)),
    ...offeredRows(parts, tasks)
  ])
}

/** Whether a method is served in an era: it has a row, and the specification has it there. */
export const servedIn =
  (dispatch: ReadonlyMap<string, Row>) =>
  (method: string, era: Era): boolean => {
    const eras = methodRow(method)?.eras
    return dispatch.has(method) && (eras === undefined || eras === "both" || eras === era)
  }

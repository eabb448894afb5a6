/**
 * One row a method: what is answered at once, or what runs. A method without a row is not served.
 */
import { isRecord, own } from "@treadle/protocol/json"
import { eraOf, negotiated, protocolVersions, type Era, type ProtocolVersion } from "@treadle/protocol/era"
import { methodRow, RpcError, type MethodName, type Request } from "@treadle/protocol/rpc"
import {
  declaresTasks,
  isLogLevel,
  logLevels,
  tasksExtension,
  type ClientCapabilities,
  type Implementation,
  type ServerCapabilities
} from "@treadle/protocol/schema"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Dress } from "../envelope/Dress.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import { listHint } from "../reply/ListReply.ts"
import { defectReply } from "../reply/ToolReply.ts"
import type { Limits } from "../Limits.ts"
import type { ListHints } from "../ServerInfo.ts"
import type { StateKey } from "../StateKey.ts"
import type { CompatSessions } from "./sessions/CompatSessions.ts"
import type { Hub } from "./offer/Hub.ts"
import { listen } from "./methods/Listen.ts"
import { completionRow } from "./methods/CompletionRow.ts"
import { CursorSeal } from "./methods/CursorSeal.ts"
import type { ToolHandler } from "../handler/ToolHandler.ts"
import type { Listed, ListTable, ServedEntry } from "./offer/ListTable.ts"
import type { Offer } from "./offer/Offer.ts"
import { listRow } from "./methods/Pages.ts"
import { promptRow } from "./methods/PromptRow.ts"
import { readRow } from "./methods/ReadRow.ts"
import type { Answered, Row, Running } from "./methods/Row.ts"
import { subscribe, unsubscribe } from "./methods/Subscribe.ts"
import { asTask, taskRows } from "./methods/TaskRows.ts"
import type { Tasks } from "./tasks/Tasks.ts"

const compatVersions = protocolVersions.filter((version) => eraOf(version) === "compat").toReversed()

/** What the rows are made of. */
export interface DispatchParts {
  readonly offer: Offer
  readonly versions: ReadonlyArray<ProtocolVersion>
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly cache: ListHints
  readonly dress: Dress
  readonly server: Implementation
  readonly sessions: CompatSessions
  readonly hub: Hub
  readonly limits: Limits
  /** What cursors are sealed with; a key of this process, where there is none. */
  readonly stateKeys: ReadonlyArray<StateKey>
  /** The tasks that calls become, where the capabilities say that there are any. */
  readonly tasks: Tasks
  /** Whether the list of resources stays as it was at the start. */
  readonly settled: boolean
}

const said = (capabilities: ServerCapabilities, instructions: string | undefined): ReadonlyArray<string> => [
  `"capabilities":${JSON.stringify(capabilities)}`,
  ...(instructions === undefined ? [] : [`"instructions":${JSON.stringify(instructions)}`])
]

const discover = ({ versions, capabilities, instructions, cache, dress }: DispatchParts): Row => {
  const result = {
    members: [`"supportedVersions":${JSON.stringify(versions)}`, ...said(capabilities, instructions)].join(","),
    cache: listHint(cache.discover)
  }
  const printed = new Map<string, string>()
  return ({ revision }) => {
    const text = printed.get(revision.version) ?? dress.result(result, revision)
    printed.set(revision.version, text)
    return text
  }
}

/** What a handshake says: tasks are of the native era only. */
const withoutTasks = ({ extensions = {}, ...capabilities }: ServerCapabilities): ServerCapabilities => {
  const { [tasksExtension]: _, ...others } = extensions
  return Object.keys(others).length === 0 ? capabilities : { ...capabilities, extensions: others }
}

/** What a handshake without a session says: nothing of changes, which no stream carries, nor of what is remembered. */
const withoutSession = ({ completions, extensions, ...lists }: ServerCapabilities): ServerCapabilities => ({
  ...(lists.tools === undefined ? {} : { tools: {} }),
  ...(lists.prompts === undefined ? {} : { prompts: {} }),
  ...(lists.resources === undefined ? {} : { resources: {} }),
  ...(completions === undefined ? {} : { completions }),
  ...(extensions === undefined ? {} : { extensions })
})

const noRoom = ({ id }: Request): Refusal => ({
  rung: "sessions",
  error: RpcError.internal("Too many sessions are open, and every one of them is in use; try again later"),
  id
})

/** The handshake of the compat era (INIT-03, INIT-05, ERA-19). */
const initialize =
  ({ capabilities, instructions, server, sessions }: DispatchParts): Row =>
  ({ inbound, request }) => {
    const requested = own(request.params, "protocolVersion")
    if (typeof requested !== "string") {
      return RpcError.invalidParams("params.protocolVersion must name a version", { supported: compatVersions })
    }
    const revision = negotiated(requested)
    const declared = own(request.params, "capabilities")
    if (!isRecord(declared)) return RpcError.invalidParams("params.capabilities must be an object; {} will do")
    if (!isRecord(own(request.params, "clientInfo"))) {
      return RpcError.invalidParams('params.clientInfo must say who asks, as { "name": "…", "version": "…" }')
    }
    const session = sessions.open({ inbound, revision, clientCapabilities: declared as ClientCapabilities })
    if (session === undefined) return noRoom(request)
    const members = [
      `"protocolVersion":${JSON.stringify(revision.version)}`,
      `"serverInfo":${JSON.stringify(server)}`,
      ...said(withoutTasks(session.standsAlone ? withoutSession(capabilities) : capabilities), instructions)
    ]
    return { session, text: `{${members.join(",")}}` }
  }

/** A row of what a session remembers; where none is kept, it is not served (D8). */
const inSession =
  (row: Row): Row =>
  (request) =>
    request.session?.standsAlone === true
      ? RpcError.methodNotFound(
          `This server keeps no sessions, so it does not serve ${JSON.stringify(request.request.method)}`
        )
      : row(request)

const ping = (): Row => () => "{}"

/** The least level that a session hears, until it says another (LOG-05, LOG-07). */
const setLevel =
  (): Row =>
  ({ request, session }) => {
    const level = own(request.params, "level")
    if (!isLogLevel(level)) return RpcError.invalidParams(`params.level must be one of ${logLevels.join(", ")}`)
    if (session !== undefined) session.logLevel = level
    return "{}"
  }

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

const callTool =
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

/** The rows of the lists that there are (PAGE-05). */
const listRows = ({
  cache,
  capabilities,
  dress,
  limits,
  offer,
  stateKeys
}: DispatchParts): ReadonlyArray<readonly [string, Row]> => {
  const { prompts, resources, templates, tools } = offer
  const common = { dress, pageSize: limits.pageSize, seal: new CursorSeal(stateKeys) }
  const list = <H extends Listed>(method: MethodName, member: string, table: ListTable<H>, hint: ListHints["tools"]) =>
    [method, listRow({ ...common, method, member, table, hint: listHint(hint) })] as const
  return [
    ...(capabilities.tools === undefined ? [] : [list("tools/list", "tools", tools, cache.tools)]),
    ...(capabilities.prompts === undefined ? [] : [list("prompts/list", "prompts", prompts, cache.prompts)]),
    ...(capabilities.resources === undefined
      ? []
      : [
          list("resources/list", "resources", resources, cache.resources),
          list("resources/templates/list", "resourceTemplates", templates, cache.templates)
        ])
  ]
}

/** The methods that are served. */
export const makeDispatch = (parts: DispatchParts): ReadonlyMap<string, Row> => {
  const { capabilities, dress, offer } = parts
  const tasks = declaresTasks(capabilities) ? parts.tasks : undefined
  const rows = new Map<string, Row>([
    ["server/discover", discover(parts)],
    ["initialize", initialize(parts)],
    ["ping", ping()],
    ["subscriptions/listen", listen({ ...parts, tasks })],
    ...(tasks === undefined ? [] : taskRows(tasks, dress))
  ])
  if (parts.capabilities.resources?.subscribe === true) {
    rows.set("resources/subscribe", inSession(subscribe(parts.limits, offer, parts.settled)))
    rows.set("resources/unsubscribe", inSession(unsubscribe()))
  }
  if (parts.capabilities.logging !== undefined) rows.set("logging/setLevel", inSession(setLevel()))
  if (parts.capabilities.tools !== undefined) {
    rows.set("tools/call", callTool(offer, tasks))
  }
  if (capabilities.resources !== undefined) rows.set("resources/read", readRow(offer))
  if (capabilities.prompts !== undefined) rows.set("prompts/get", promptRow(offer))
  if (capabilities.completions !== undefined) rows.set("completion/complete", completionRow(offer, dress))
  for (const [method, row] of listRows(parts)) rows.set(method, row)
  return rows
}

/** Whether a method is served in an era: it has a row, and the specification has it there. */
export const servedIn =
  (dispatch: ReadonlyMap<string, Row>) =>
  (method: string, era: Era): boolean => {
    const eras = methodRow(method)?.eras
    return dispatch.has(method) && (eras === undefined || eras === "both" || eras === era)
  }

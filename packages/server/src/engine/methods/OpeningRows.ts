/**
 * The rows by which a client finds out whom it talks to: `server/discover` natively, and the handshake of the compat era.
 */
import { eraOf, negotiated, protocolVersions, type ProtocolVersion } from "@treadle/protocol/era"
import { isRecord, own } from "@treadle/protocol/json"
import { RpcError, type Request } from "@treadle/protocol/rpc"
import {
  tasksExtension,
  type ClientCapabilities,
  type Implementation,
  type ServerCapabilities
} from "@treadle/protocol/schema"
import type { Dress } from "../../envelope/Dress.ts"
import type { Refusal } from "../../envelope/Refusal.ts"
import type { Opening, SessionFacts } from "../../envelope/SessionFacts.ts"
import { listHint } from "../../reply/ListReply.ts"
import type { ListHints } from "../../ServerInfo.ts"
import type { Row } from "./Row.ts"

const compatVersions = protocolVersions.filter((version) => eraOf(version) === "compat").toReversed()

/** What a server says of itself. */
export interface OpeningParts {
  readonly versions: ReadonlyArray<ProtocolVersion>
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly cache: ListHints
  readonly dress: Dress
  readonly server: Implementation
  /** Opens a session, or nothing where there is no room for one more. */
  readonly openSession: (opening: Opening) => SessionFacts | undefined
}

const said = (capabilities: ServerCapabilities, instructions: string | undefined): ReadonlyArray<string> => [
  `"capabilities":${JSON.stringify(capabilities)}`,
  ...(instructions === undefined ? [] : [`"instructions":${JSON.stringify(instructions)}`])
]

/** What the server speaks and offers (DISC-02); printed once for each revision. */
export const discoverRow = ({ versions, capabilities, instructions, cache, dress }: OpeningParts): Row => {
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
export const initializeRow =
  ({ capabilities, instructions, openSession, server }: OpeningParts): Row =>
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
    const session = openSession({ inbound, revision, clientCapabilities: declared as ClientCapabilities })
    if (session === undefined) return noRoom(request)
    const members = [
      `"protocolVersion":${JSON.stringify(revision.version)}`,
      `"serverInfo":${JSON.stringify(server)}`,
      ...said(withoutTasks(session.standsAlone ? withoutSession(capabilities) : capabilities), instructions)
    ]
    return { session, text: `{${members.join(",")}}` }
  }

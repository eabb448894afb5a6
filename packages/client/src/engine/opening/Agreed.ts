/**
 * What the two sides of a link settled on when it was opened. It does not change while the link lasts, whatever a
 * notification claims (INIT-09).
 */
import * as Result from "effect/Result"
import type { Era } from "@treadle/protocol/era"
import { own, wireDecoder } from "@treadle/protocol/json"
import {
  Implementation,
  MetaKey,
  type ClientMethod,
  type DiscoverResult,
  type InitializeResult,
  type ServerCapabilities
} from "@treadle/protocol/schema"
import type { CompatSession } from "../../transport/Transport.ts"

export interface Agreed {
  readonly era: Era
  /** The revision that is spoken. */
  readonly version: string
  readonly capabilities: ServerCapabilities
  /** Name and version of the server as it gives them. */
  readonly server: Implementation | undefined
  readonly instructions: string | undefined
  /** The compat session. */
  readonly session?: CompatSession
}

const decodeImplementation = wireDecoder(Implementation)

/** What a native server said of itself. */
export const agreedNatively = (version: string, discovered: DiscoverResult): Agreed => {
  const server = decodeImplementation(own(discovered._meta, MetaKey.serverInfo))
  return {
    era: "native",
    version,
    capabilities: discovered.capabilities,
    server: Result.isSuccess(server) ? server.success : undefined,
    instructions: discovered.instructions
  }
}

/** What a handshake settled. */
export const agreedByHandshake = (result: InitializeResult, session: string | undefined): Agreed => ({
  era: "compat",
  version: result.protocolVersion,
  capabilities: result.capabilities,
  server: result.serverInfo,
  instructions: result.instructions,
  session: { version: result.protocolVersion, ...(session === undefined ? {} : { id: session }) }
})

/** Whether a server said that it tells of changes of a list, such as `tools`. */
export const tellsOf = ({ capabilities }: Agreed, list: string): boolean =>
  own(own(capabilities, list), "listChanged") === true

/** What a server must have declared for a method, as a path into its capabilities. */
const needs: { readonly [M in ClientMethod]?: ReadonlyArray<string> } = {
  "tools/list": ["tools"],
  "tools/call": ["tools"],
  "resources/list": ["resources"],
  "resources/templates/list": ["resources"],
  "resources/read": ["resources"],
  "resources/subscribe": ["resources", "subscribe"],
  "resources/unsubscribe": ["resources", "subscribe"],
  "prompts/list": ["prompts"],
  "prompts/get": ["prompts"],
  "completion/complete": ["completions"],
  "logging/setLevel": ["logging"]
}

/** The methods that exist in one era only. */
const only: { readonly [M in ClientMethod]?: Era } = {
  "server/discover": "native",
  "subscriptions/listen": "native",
  "tasks/get": "native",
  "tasks/update": "native",
  "tasks/cancel": "native",
  initialize: "compat",
  ping: "compat",
  "logging/setLevel": "compat",
  "resources/subscribe": "compat",
  "resources/unsubscribe": "compat"
}

/** Why a request is not sent at all, or `undefined` where the server offers it. */
export const notOffered = ({ capabilities, era, version }: Agreed, method: ClientMethod): string | undefined => {
  const itsEra = only[method]
  if (itsEra !== undefined && itsEra !== era) return `there is no ${method} at ${version}`
  let declared: unknown = capabilities
  for (const part of needs[method] ?? []) {
    declared = own(declared, part)
    if (declared === undefined || declared === false) {
      return `the server does not offer ${needs[method]?.join(".")}; it was not asked`
    }
  }
  return undefined
}

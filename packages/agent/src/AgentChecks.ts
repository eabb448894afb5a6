/**
 * Everything that is wrong with a definition, found without opening anything.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { toolShape } from "@treadle/protocol/endpoint"
import { agentFields, type AgentDefinition, type HttpServerSettings, type ServerRef } from "./AgentDefinition.ts"
import type { AgentProblem } from "./AgentProblem.ts"
import { Secret } from "./Secret.ts"
import { serverEntries, serverRef } from "./Server.ts"
import { heldTags, isTrifecta, unknownTags } from "./Tag.ts"
import { limitNames } from "./Limits.ts"

/** Names that mean the agent itself. */
const reserved: ReadonlySet<string> = new Set(["code", "self"])

const field = (name: string, why: string): AgentProblem => ({ _tag: "InvalidField", field: name, why })

const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === ""

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** What of a schema cannot be told a model as JSON Schema. */
const answerProblems = (answer: unknown): ReadonlyArray<AgentProblem> => {
  if (answer === undefined) return []
  const standard = typeof answer === "object" && answer !== null && "~standard" in answer
  if (!Schema.isSchema(answer) && !standard)
    return [field("answer", "it is no schema; write Schema.Struct({ … }) or z.object({ … }), or leave it out for text")]
  return toolShape({
    input: Schema.isSchema(answer) ? Schema.Struct({ answer: answer as Schema.Top }) : answer
  }).faults.flatMap((fault) => (fault._tag === "UnrepresentableSchema" ? [field("answer", fault.finding.message)] : []))
}

const fieldProblems = (definition: AgentDefinition<unknown, unknown>): ReadonlyArray<AgentProblem> => {
  const { answer, instruction, limits = {}, name } = definition
  const unknown = Object.keys(definition).filter((key) => !agentFields.has(key))
  return [
    ...(isBlank(name) || name.length > 64
      ? [field("name", "it must be 1 to 64 characters, not all of them blank")]
      : []),
    ...(isBlank(instruction) ? [field("instruction", "it must say what the agent is to do")] : []),
    ...answerProblems(answer),
    ...unknown.map((key) => field(key, `there is no such field; there are ${[...agentFields].join(", ")}`)),
    ...Object.entries(limits).flatMap(([limit, value]) => {
      if (!limitNames.has(limit)) {
        return [field(`limits.${limit}`, `there is no such limit; there are ${[...limitNames].join(", ")}`)]
      }
      return value === undefined || isCount(value)
        ? []
        : [field(`limits.${limit}`, "it must be a whole number of 0 or more")]
    })
  ]
}

const loopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)

/** Why an address cannot be a server. */
const endpointFault = (url: string): string | undefined => {
  if (url.trim() === "") return "its address is empty"
  if (!URL.canParse(url)) return "it is no address; write https://host/path"
  const { hostname, password, protocol, username } = new URL(url)
  if (username !== "" || password !== "") {
    return "its address holds a credential; give it as a header that names a secret, as authorization: Bearer {{secret:NAME}}"
  }
  if (protocol === "https:") return undefined
  if (protocol !== "http:")
    return `${protocol} is no address of a server over HTTP; for a command, give one of @treadle/agent/node`
  return loopback(hostname) ? undefined : "plain http: is for loopback addresses only; use https:"
}

/** Why a header cannot be sent. Its value is not told. */
const headerFault = (name: string, text: string): string | undefined => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name)) return "it is no name of a header"
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  return /[\u0000-\u0008\u000a-\u001f\u007f]/u.test(text)
    ? "its value has a line end or a control character"
    : undefined
}

const headerProblems = (server: string, headers: HttpServerSettings["headers"]): ReadonlyArray<AgentProblem> =>
  Object.entries(headers ?? {}).flatMap(([header, text]): ReadonlyArray<AgentProblem> => {
    const parsed = Secret.parse(text)
    const why = headerFault(header, text) ?? (Result.isFailure(parsed) ? parsed.failure.message : undefined)
    if (why !== undefined || Result.isFailure(parsed)) {
      const setting = `header ${JSON.stringify(header)}`
      return [{ _tag: "InvalidServerSetting", server, setting, why: why ?? "" }]
    }
    return Secret.isCredentialHeader(header) && !Secret.hasReference(parsed.success)
      ? [{ _tag: "InlineCredential", server, header }]
      : []
  })

/** Settings that are milliseconds. */
const times = ["timeout", "connectTimeout", "probeTimeout"] as const

const refProblems = (server: string, ref: ServerRef): ReadonlyArray<AgentProblem> => {
  const unknown = unknownTags(ref.settings.tags)
  const fault = ref._tag === "Http" ? endpointFault(ref.url) : undefined
  return [
    ...(fault === undefined ? [] : [{ _tag: "InvalidEndpoint" as const, server, why: fault }]),
    ...(ref._tag === "Http" ? headerProblems(server, ref.settings.headers) : []),
    ...unknown.map((tag): AgentProblem => ({
      _tag: "InvalidServerSetting",
      server,
      setting: "tags",
      why: `${JSON.stringify(tag)} is no tag; there are untrusted_input, sensitive and egress`
    })),
    ...times.flatMap((setting): ReadonlyArray<AgentProblem> => {
      const value = ref.settings[setting]
      return value === undefined || value > 0
        ? []
        : [{ _tag: "InvalidServerSetting", server, setting, why: "it must be a number of milliseconds above 0" }]
    })
  ]
}

const nameFault = (name: string): string | undefined => {
  if (name.trim() === "") return "its name is empty"
  if (reserved.has(name)) return "this name means the agent itself"
  return name.length > 64 ? "its name is longer than 64 characters" : undefined
}

const serverProblems = (definition: AgentDefinition<unknown, unknown>): ReadonlyArray<AgentProblem> => {
  const names = new Set<string>()
  return serverEntries(definition.servers).flatMap(([name, server]): ReadonlyArray<AgentProblem> => {
    const why = nameFault(name)
    const named: ReadonlyArray<AgentProblem> = [
      ...(why === undefined ? [] : [{ _tag: "InvalidServerName" as const, server: name, why }]),
      ...(names.has(name) ? [{ _tag: "DuplicateServer" as const, server: name }] : [])
    ]
    names.add(name)
    const ref = serverRef(server)
    if (ref !== undefined) return [...named, ...refProblems(name, ref)]
    const missing = "it is neither an Mcp value, an address, an agent nor what Server makes"
    return [...named, { _tag: "InvalidServerSetting", server: name, setting: "server", why: missing }]
  })
}

/** The servers of a definition, each with its tags. */
export const taggedServers = ({ servers }: AgentDefinition<unknown, unknown>) =>
  serverEntries(servers).map(([name, server]) => ({ name, tags: heldTags(serverRef(server)?.settings.tags) }))

/** Every problem of a definition; none where it can run. */
export const agentProblems = (definition: AgentDefinition<unknown, unknown>): ReadonlyArray<AgentProblem> => {
  const tagged = taggedServers(definition)
  const trifecta = definition.allowTrifecta !== true && isTrifecta(tagged.map(({ tags }) => tags))
  return [
    ...fieldProblems(definition),
    ...serverProblems(definition),
    ...(trifecta ? [{ _tag: "Trifecta" as const, servers: tagged.map(({ name }) => name) }] : [])
  ]
}

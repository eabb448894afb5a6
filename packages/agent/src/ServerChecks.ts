/**
 * Everything that is wrong with the servers of a definition, found without opening anything, whatever JavaScript wrote.
 */
import { unknownNames } from "@treadle/protocol/json"
import * as Result from "effect/Result"
import type { AnyDefinition, HttpServerSettings, ServerRef, ServerSettings } from "./AgentDefinition.ts"
import type { AgentProblem } from "./AgentProblem.ts"
import { isLoopbackHost } from "./Loopback.ts"
import { Secret } from "./Secret.ts"
import { serverEntries, serverRef } from "./Server.ts"
import { tags as allTags, unknownTags } from "./Tag.ts"

/** Names that mean the agent itself. */
const reserved: ReadonlySet<string> = new Set(["code", "self"])

/** Settings that are milliseconds. */
const times = ["timeout", "connectTimeout", "probeTimeout"] as const

const settingNames: ReadonlyArray<keyof ServerSettings> = ["required", "tags", "trusted", "tools", ...times]
const httpSettingNames: ReadonlyArray<keyof HttpServerSettings> = [...settingNames, "headers", "auth", "fetch"]

/** Why an address cannot be a server. */
const urlFault = (url: string): string | undefined => {
  if (url.trim() === "") return "its address is empty"
  const [, host] = /^([\w.-]+):\d+(?:[/?]|$)/u.exec(url) ?? []
  if (host !== undefined) return `it has no scheme; write ${isLoopbackHost(host) ? "http" : "https"}://${url}`
  if (!URL.canParse(url)) return "it is no address; write https://host/path"
  if (url.includes("{{")) return "no secret is read for an address; name it in a header"
  const { hostname, password, protocol, username } = new URL(url)
  if (username !== "" || password !== "") {
    return "its address holds a credential; give it as a header that names a secret, as authorization: Bearer {{secret:NAME}}"
  }
  if (protocol === "https:") return undefined
  if (protocol !== "http:")
    return `${protocol} is no address of a server over HTTP; for a command, give one of @treadle/agent/node`
  return isLoopbackHost(hostname) ? undefined : "plain http: is for loopback addresses only; use https:"
}

/** Why a header cannot be sent. Its value is not told. */
const headerFault = (name: string, text: unknown): string | undefined => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name)) return "it is no name of a header"
  if (typeof text !== "string") return "its value must be a string"
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/u.test(text)) return "its value has a line end or a control character"
  const parsed = Secret.parse(text)
  return Result.isFailure(parsed) ? parsed.failure.message : undefined
}

const headerProblems = (server: string, headers: HttpServerSettings["headers"]): ReadonlyArray<AgentProblem> => {
  if (typeof (headers ?? {}) !== "object") {
    return [
      { _tag: "InvalidServerSetting", server, setting: "headers", why: "they must be an object of texts by name" }
    ]
  }
  return Object.entries(headers ?? {}).flatMap(([header, text]): ReadonlyArray<AgentProblem> => {
    const why = headerFault(header, text)
    if (why !== undefined) {
      return [{ _tag: "InvalidServerSetting", server, setting: `header ${JSON.stringify(header)}`, why }]
    }
    return Result.isFailure(Secret.parseHeader(header, text)) ? [{ _tag: "InlineCredential", server, header }] : []
  })
}

const tagFaults = (tags: unknown): ReadonlyArray<string> => {
  const there = `there are ${allTags.join(", ")}`
  if (tags === undefined) return []
  if (!Array.isArray(tags)) return [`they must be a list; ${there}`]
  return unknownTags(tags).map((tag) => `${JSON.stringify(tag)} is no tag; ${there}`)
}

const toolsFault = (tools: unknown): ReadonlyArray<string> =>
  tools === undefined || (Array.isArray(tools) && tools.every((name) => typeof name === "string"))
    ? []
    : ["they must be a list of the names of tools"]

const flagFault = (value: unknown): ReadonlyArray<string> =>
  value === undefined || typeof value === "boolean" ? [] : ["it must be true or false"]

const timeFault = (time: unknown): ReadonlyArray<string> =>
  time === undefined || (typeof time === "number" && time > 0) ? [] : ["it must be a number of milliseconds above 0"]

const refProblems = (server: string, ref: ServerRef): ReadonlyArray<AgentProblem> => {
  const { required, tags, tools, trusted } = ref.settings
  const fault = ref._tag === "Http" ? urlFault(ref.url) : undefined
  const known: ReadonlyArray<string> = ref._tag === "Http" ? httpSettingNames : settingNames
  const setting = (name: string, faults: ReadonlyArray<string>) =>
    faults.map((why) => ({ _tag: "InvalidServerSetting" as const, server, setting: name, why }))
  return [
    ...(fault === undefined ? [] : [{ _tag: "InvalidUrl" as const, server, why: fault }]),
    ...(ref._tag === "Http" ? headerProblems(server, ref.settings.headers) : []),
    ...(ref._tag === "Open" ? (ref.faults ?? []) : []).flatMap(({ setting: name, why }) => setting(name, [why])),
    ...setting("tags", tagFaults(tags)),
    ...setting("tools", toolsFault(tools)),
    ...times.flatMap((name) => setting(name, timeFault(ref.settings[name]))),
    ...setting("required", flagFault(required)),
    ...setting("trusted", flagFault(trusted)),
    ...unknownNames(ref.settings, known).flatMap(({ name, why }) => setting(name, [why]))
  ]
}

const nameFault = (name: string): string | undefined => {
  if (name.trim() === "") return "its name is empty"
  if (reserved.has(name)) return "this name means the agent itself"
  return name.length > 64 ? "its name is longer than 64 characters" : undefined
}

/** Every problem of the servers of a definition. */
export const serverProblems = ({ servers }: AnyDefinition): ReadonlyArray<AgentProblem> => {
  const entries = serverEntries(servers)
  const count = Object.keys(servers ?? {}).length
  if (servers !== undefined && (typeof servers !== "object" || servers === null || entries.length < count)) {
    const why = "they must be an object of servers by name, or a list of pairs of a name and a server"
    return [{ _tag: "InvalidField", field: "servers", why }]
  }
  const names = new Set<string>()
  return entries.flatMap(([name, server]): ReadonlyArray<AgentProblem> => {
    const why = nameFault(name)
    const named: ReadonlyArray<AgentProblem> = [
      ...(why === undefined ? [] : [{ _tag: "InvalidServerName" as const, server: name, why }]),
      ...(names.has(name) ? [{ _tag: "DuplicateServer" as const, server: name }] : [])
    ]
    names.add(name)
    const ref = serverRef(server)
    if (ref !== undefined) return [...named, ...refProblems(name, ref)]
    const missing =
      "it is neither an Mcp value, an address, an agent nor what Server makes; see whether something is missing"
    return [...named, { _tag: "InvalidServerSetting", server: name, setting: "server", why: missing }]
  })
}

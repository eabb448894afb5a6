/**
 * What keeps resources, templates and prompts from being served. Pure.
 */
import * as Result from "effect/Result"
import { UriTemplate, type CacheHint } from "@treadle/protocol/schema"
import { isAuthScope } from "../AuthScope.ts"
import type { EntryKind, McpBuildError, Place } from "../McpBuildError.ts"
import type { ReadDefinition } from "../ResourceDefinition.ts"
import type { AnyCompleters } from "./CompletionHandler.ts"
import type { PromptEntry, ResourceEntry, TemplateEntry } from "./Entry.ts"
import { schemeProblem, uriProblem } from "./ResourceUri.ts"
import { settingNames, unknownSettings } from "./SettingNames.ts"
import { variableArguments } from "./TemplateHandler.ts"
import { textArguments } from "./TextArguments.ts"

type Errors = ReadonlyArray<McpBuildError>

interface Subject {
  readonly kind: EntryKind
  readonly name: string
  readonly place: Place
}

const invalid = (subject: Subject, reasons: ReadonlyArray<string>): Errors =>
  reasons.map((why) => ({ _tag: "InvalidDefinition", ...subject, why }))

/** The reasons whose condition is not met. */
const unmet = (reasons: ReadonlyArray<readonly [boolean, string]>): ReadonlyArray<string> =>
  reasons.flatMap(([ok, why]) => (ok ? [] : [why]))

/** Whether there is text, and some in it. */
export const isSaid = (text: unknown): boolean => typeof text === "string" && text !== ""

const isTtl = (ttl: unknown): boolean => ttl === undefined || (Number.isSafeInteger(ttl) && Number(ttl) >= 0)

/** Why a cache hint cannot be sent (CACHE-01). */
export const hintProblems = (hint: Partial<CacheHint> | undefined): ReadonlyArray<string> => [
  ...unmet([
    [isTtl(hint?.ttlMs), "cache.ttlMs must be a whole number of milliseconds, 0 or more"],
    [[undefined, "public", "private"].includes(hint?.cacheScope), 'cache.cacheScope must be "public" or "private"']
  ]),
  ...unknownSettings(hint, settingNames.cache, "cache.")
]

/** Why a time limit is none: no call would outlive it, or none would ever reach it. */
export const timeoutProblems = (timeout: number | undefined): ReadonlyArray<string> =>
  unmet([[timeout === undefined || timeout > 0, "timeout must be a number of milliseconds above 0"]])

/** Why scopes cannot be asked for. */
export const scopeProblems = (scopes: unknown): ReadonlyArray<string> => {
  if (scopes === undefined) return []
  if (!Array.isArray(scopes)) return ['scopes must be an array; write scopes: ["files:read"]']
  return scopes.flatMap((scope: unknown) => {
    const said = `scopes has ${JSON.stringify(scope)}, which is`
    if (!isAuthScope(scope)) return [`${said} no scope; write each by itself, without spaces`]
    return scope === "offline_access" ? [`${said} for clients to ask of their authorization server; leave it out`] : []
  })
}

/** What the types forbid, and plain JavaScript does not. */
const readProblems = (
  definition: ReadDefinition<never>,
  read: unknown,
  known: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...unknownSettings(definition, known),
  ...unmet([
    [typeof read === "function", "it has no function that reads it; pass one"],
    [isSaid(definition.name), "it has no name; give it one"]
  ]),
  ...hintProblems(definition.cache),
  ...scopeProblems(definition.scopes),
  ...timeoutProblems(definition.timeout)
]

const unknownCompletions = (
  { name, place, kind }: Subject & { readonly kind: "template" | "prompt" },
  complete: AnyCompleters | undefined,
  known: ReadonlyArray<string>
): Errors =>
  Object.keys(complete ?? {})
    .filter((argument) => !known.includes(argument))
    .map((argument) => ({ _tag: "UnknownCompletion", kind, name, argument, known, place }))

/** Why a resource cannot be served. */
export const resourceErrors = ({ definition, place, read }: ResourceEntry): Errors => {
  const uri = String(definition.uri)
  const rule = uriProblem(uri)
  return [
    ...(rule === undefined ? [] : ([{ _tag: "InvalidUri", uri, rule, place }] as const)),
    ...invalid({ kind: "resource", name: uri, place }, readProblems(definition, read, settingNames.resource))
  ]
}

/** Why a template cannot be served. */
export const templateErrors = ({ definition, place, read }: TemplateEntry): Errors => {
  const template = String(definition.uriTemplate)
  const subject = { kind: "template", name: template, place } as const
  const parsed = UriTemplate.parse(template)
  const names = Result.isSuccess(parsed) ? parsed.success.variables : []
  const rules = [
    ...(Result.isFailure(parsed) ? [parsed.failure] : []),
    ...[schemeProblem(template) ?? []].flat(),
    ...(Result.isSuccess(parsed) && names.length === 0 ? ["it has no variable: add it with resource(…)"] : [])
  ]
  const { variables } = definition
  const strangers = Result.isFailure(parsed) ? [] : Object.keys(variables ?? {}).filter((name) => !names.includes(name))
  return [
    ...rules.map((rule): McpBuildError => ({ _tag: "InvalidTemplate", template, rule, place })),
    ...invalid(subject, [
      ...readProblems(definition, read, settingNames.template),
      ...strangers.map((name) => `variables has ${JSON.stringify(name)}, which the template does not have`),
      ...variableArguments(variables).problems
    ]),
    ...(Result.isFailure(parsed) ? [] : unknownCompletions(subject, definition.complete, names))
  ]
}

/** Why a prompt cannot be served. */
export const promptErrors = ({ name, definition, handler, place }: PromptEntry): Errors => {
  const subject = { kind: "prompt", name: String(name), place } as const
  const { names, problems } = textArguments(definition.arguments)
  return [
    ...invalid(subject, [
      ...unknownSettings(definition, settingNames.prompt),
      ...unmet([
        [isSaid(name), "it has no name; give it one"],
        [typeof handler === "function", "it has no function; pass one"],
        [isSaid(definition.description), "it has no description; people choose a prompt by it"]
      ]),
      ...scopeProblems(definition.scopes),
      ...timeoutProblems(definition.timeout),
      ...problems
    ]),
    ...unknownCompletions(subject, definition.complete, names)
  ]
}

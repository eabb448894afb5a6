/**
 * Everything that is wrong with a definition, found without opening anything.
 */
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { unknownNames } from "@treadle/protocol/json"
import { toolShape } from "@treadle/protocol/endpoint"
import { MetaKey } from "@treadle/protocol/schema"
import { agentFields, depthKey, type AnyDefinition, type ServerRef } from "./AgentDefinition.ts"
import type { AgentProblem } from "./AgentProblem.ts"
import { limitNames } from "./Limits.ts"
import { serverEntries, serverRef } from "./Server.ts"
import { serverProblems } from "./ServerChecks.ts"
import { heldTags, isTrifecta, type Tag } from "./Tag.ts"

/** Keys of `_meta` that have another use. */
const takenKeys: ReadonlySet<unknown> = new Set([...Object.values(MetaKey), depthKey])

const field = (name: string, why: string): AgentProblem => ({ _tag: "InvalidField", field: name, why })

const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === ""

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value >= 0

const limitProblems = (limits: unknown): ReadonlyArray<AgentProblem> => {
  const there = `there are ${[...limitNames].join(", ")}`
  if (typeof limits !== "object" || limits === null) return [field("limits", `they must be an object; ${there}`)]
  const unknown = unknownNames(limits, [...limitNames], "limit")
  const wrong = Object.entries(limits).filter(
    ([limit, value]) => limitNames.has(limit) && value !== undefined && !isCount(value)
  )
  return [
    ...unknown.map(({ name, why }) => field(`limits.${name}`, why)),
    ...wrong.map(([limit]) => field(`limits.${limit}`, "it must be a whole number of 0 or more"))
  ]
}

/** An answer that a model could not be told the form of, or that JSON cannot hold. */
const answerProblems = (answer: unknown): ReadonlyArray<AgentProblem> => {
  if (answer === undefined) return []
  // A type of ArkType is a function.
  const standard =
    (typeof answer === "object" || typeof answer === "function") && answer !== null && "~standard" in answer
  if (!Schema.isSchema(answer) && !standard) {
    return [field("answer", "it is no schema; write Schema.Struct({ … }) or z.object({ … }), or leave it out for text")]
  }
  const { faults } = toolShape({
    input: Schema.isSchema(answer) ? Schema.Struct({ answer: answer as Schema.Top }) : answer
  })
  const placeOf = (path: string) =>
    path === "" ? "answer" : standard && !Schema.isSchema(answer) ? `answer.${path}` : path
  return faults.flatMap((fault) => {
    // An answer need not be the object that the arguments of a tool are.
    if (fault._tag === "NotPromotable") return []
    return fault._tag === "UnrepresentableSchema"
      ? [field(placeOf(fault.finding.path), fault.finding.message)]
      : [field("answer", "message" in fault ? fault.message : "it cannot be told to a model")]
  })
}

/** Fields that may be left out, and why the value of one is none. */
const optionalFaults = (definition: AnyDefinition): ReadonlyArray<AgentProblem> => {
  const { allowTrifecta, description, model, runIdKey, subagents, version } = definition
  const faults: ReadonlyArray<readonly [name: string, value: unknown, fits: boolean, why: string]> = [
    ["version", version, !isBlank(version), "it must be a text, not blank"],
    ["description", description, typeof description === "string", "it must be a text"],
    ["model", model, Layer.isLayer(model), "it must be a Layer of LanguageModel"],
    ["subagents", subagents, typeof subagents === "boolean", "it must be true or false"],
    ["allowTrifecta", allowTrifecta, typeof allowTrifecta === "boolean", "it must be true or false"],
    ["runIdKey", runIdKey, !isBlank(runIdKey) && !takenKeys.has(runIdKey), "it must be a key of its own in _meta"]
  ]
  return faults.flatMap(([name, value, fits, why]) => (value === undefined || fits ? [] : [field(name, why)]))
}

const fieldProblems = (definition: AnyDefinition): ReadonlyArray<AgentProblem> => {
  const { instruction, limits = {}, name } = definition
  const unknown = unknownNames(definition, [...agentFields], "field")
  return [
    ...(isBlank(name) || name.length > 64
      ? [field("name", "it must be 1 to 64 characters, not all of them blank")]
      : []),
    ...(isBlank(instruction) ? [field("instruction", "it must say what the agent is to do")] : []),
    ...unknown.map(({ name, why }) => field(name, why)),
    ...limitProblems(limits),
    ...optionalFaults(definition),
    ...answerProblems(definition.answer)
  ]
}

/**
 * Another agent can do what its own servers can: it has their tags too, unless its operator says which it has.
 *
 * @param seen definitions that count already: agents may have each other
 */
const tagsOf = (ref: ServerRef | undefined, seen: Set<AnyDefinition>): ReadonlyArray<Tag> => {
  const said = heldTags(ref?.settings.tags)
  if (ref?._tag !== "Agent" || ref.settings.tags !== undefined || seen.has(ref.agent.definition)) return said
  seen.add(ref.agent.definition)
  const below = serverEntries(ref.agent.definition.servers).flatMap(([, server]) => tagsOf(serverRef(server), seen))
  return [...new Set([...said, ...below])]
}

/** The servers of a definition, each with its tags. */
export const taggedServers = (
  definition: AnyDefinition
): ReadonlyArray<{ readonly name: string; readonly tags: ReadonlyArray<Tag> }> =>
  serverEntries(definition.servers).map(([name, server]) => ({
    name,
    tags: tagsOf(serverRef(server), new Set([definition]))
  }))

/** What is wrong with the agents that are servers of a definition. */
const nestedProblems = ({ servers }: AnyDefinition, seen: Set<AnyDefinition>): ReadonlyArray<AgentProblem> =>
  serverEntries(servers).flatMap(([server, like]): ReadonlyArray<AgentProblem> => {
    const ref = serverRef(like)
    if (ref?._tag !== "Agent" || seen.has(ref.agent.definition)) return []
    return agentProblems(ref.agent.definition, seen).map((problem) => ({ _tag: "InAgent", server, problem }))
  })

/**
 * Every problem of a definition, and of the agents that are its servers; none where it can run.
 *
 * @param seen definitions that are looked at already; each is looked at once
 */
export const agentProblems = (
  definition: AnyDefinition,
  seen = new Set<AnyDefinition>()
): ReadonlyArray<AgentProblem> => {
  seen.add(definition)
  const tagged = taggedServers(definition)
  const trifecta = definition.allowTrifecta !== true && isTrifecta(tagged.map(({ tags }) => tags))
  return [
    ...fieldProblems(definition),
    ...serverProblems(definition),
    ...(trifecta ? [{ _tag: "Trifecta" as const, servers: tagged.map(({ name }) => name) }] : []),
    ...nestedProblems(definition, seen)
  ]
}

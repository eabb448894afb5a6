/**
 * What an author said of the tasks of a tool, complete; and why it could not be meant. Pure.
 */
import { isRecord } from "@treadle/protocol/json"
import type { TaskOption, TaskOptions } from "../TaskOptions.ts"

export interface TaskSettings {
  readonly required: boolean
  /** Whether the handler says where the task begins. */
  readonly later: boolean
  /** Milliseconds; `undefined` where the server's limit is all that is said, `null` for as long as it is served. */
  readonly ttl: number | null | undefined
  /** Milliseconds. */
  readonly pollInterval: number
}

const defaultPollInterval = 1_000

const places: ReadonlySet<unknown> = new Set(["at-once", "later", undefined])

const isMillis = (value: unknown): boolean => value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)

interface Member {
  readonly fits: (value: unknown) => boolean
  readonly cure: string
}

const members: ReadonlyMap<string, Member> = new Map<keyof TaskOptions, Member>([
  [
    "required",
    { fits: (value) => value === undefined || typeof value === "boolean", cure: "task.required must be true or false" }
  ],
  ["begins", { fits: (value) => places.has(value), cure: 'task.begins must be "at-once" or "later"' }],
  [
    "ttl",
    {
      fits: (value) => value === null || isMillis(value),
      cure: "task.ttl must be a whole number of milliseconds above 0, or null for as long as it is served"
    }
  ],
  ["pollInterval", { fits: isMillis, cure: "task.pollInterval must be a whole number of milliseconds above 0" }]
])

/** Why an option is none. */
export const taskProblems = (option: unknown): ReadonlyArray<string> => {
  if (option === undefined || option === "optional" || option === "required") return []
  if (!isRecord(option)) return ['task must be "optional", "required" or an object such as { ttl: 60_000 }']
  return Object.entries(option).flatMap(([name, value]) => {
    const member = members.get(name)
    if (member === undefined) return [`task has ${JSON.stringify(name)}; it may have ${[...members.keys()].join(", ")}`]
    return member.fits(value) ? [] : [member.cure]
  })
}

/** @param option one without problems */
export const taskSettings = (option: TaskOption | undefined): TaskSettings | undefined => {
  if (option === undefined) return undefined
  const said: TaskOptions = typeof option === "string" ? { required: option === "required" } : option
  const { begins, pollInterval = defaultPollInterval, required = false, ttl } = said
  return { required, later: begins === "later", ttl, pollInterval }
}

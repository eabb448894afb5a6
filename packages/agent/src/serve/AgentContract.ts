/**
 * The five tools that an agent serves, as endpoints: what is published, and what typed clients share.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Endpoint, type Standard } from "@treadle/protocol/endpoint"

const filled = Schema.String.check(Schema.makeFilter((text: string) => text.trim() !== "" || "must not be blank"))

const flag = Schema.Boolean.annotate({ default: false }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))

const optional = Schema.optionalKey

/** No arguments, published as an open object without any. */
const nothing: Standard<{}, {}> = {
  "~standard": {
    version: 1,
    vendor: "treadle",
    validate: () => ({ value: {} }),
    jsonSchema: {
      input: () => ({ type: "object", properties: {} }),
      output: () => ({ type: "object", properties: {} })
    }
  }
}

/** What a served agent says of itself. */
export const ServedStatus = Schema.Struct({
  run_id: Schema.String,
  mode: Schema.String,
  version: Schema.String,
  pid: Schema.Int,
  uptime_ms: Schema.Int,
  inflight_spawns: Schema.Int,
  total_spawns: Schema.Int
})
export type ServedStatus = typeof ServedStatus.Type

/** How one of its subagents stands: members that mean nothing in its state are left out. */
export const ServedSubagent = Schema.Struct({
  handle: Schema.String,
  status: optional(Schema.String),
  done: optional(Schema.Boolean),
  partial: optional(Schema.Boolean),
  result: optional(Schema.Unknown),
  error: optional(Schema.String),
  age_ms: optional(Schema.Int),
  abandoned: optional(Schema.Boolean),
  warm: optional(Schema.Boolean),
  alive: optional(Schema.Boolean),
  busy: optional(Schema.Boolean),
  turns: optional(Schema.Int),
  last_result: optional(Schema.Unknown),
  last_is_error: optional(Schema.Boolean)
})

export const status = Endpoint.make("status", {
  description: "Reads this agent's run id, mode, version, process id, uptime and counts of spawns.",
  input: nothing,
  output: ServedStatus
})

export const spawn = Endpoint.make("subagent.spawn", {
  description:
    "Delegates a task to a fresh agent, and returns its distilled result; with async its handle at once, with warm a session that takes further messages.",
  input: Schema.Struct({
    instruction: filled,
    output_contract: optional(Schema.String),
    tool_scope: optional(Schema.Array(Schema.String)),
    async: flag,
    warm: flag
  }),
  output: ServedSubagent
})

export const send = Endpoint.make("subagent.send", {
  description: "Sends another message into a warm session; it is queued, and answered in its turn.",
  input: Schema.Struct({ handle: filled, message: filled }),
  output: Schema.Struct({
    handle: Schema.String,
    delivered: Schema.Boolean,
    turns: Schema.Int,
    awaiting_turn: Schema.Int
  })
})

export const subagentStatus = Endpoint.make("subagent.status", {
  description: "Reads the status of a handle, and its result once it has ended.",
  input: Schema.Struct({ handle: filled }),
  output: ServedSubagent
})

export const cancel = Endpoint.make("subagent.cancel", {
  description: "Asks a run to end, with everything below it, and returns at once.",
  input: Schema.Struct({ handle: filled }),
  output: Schema.Struct({
    handle: Schema.String,
    cancelled: Schema.Boolean,
    warm: optional(Schema.Boolean),
    reason: optional(Schema.String)
  })
})

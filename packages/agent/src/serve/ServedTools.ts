/**
 * What the tools and resources of a served agent do, over its live part.
 */
import * as Effect from "effect/Effect"
import { Reply, type InputOf, type OutputOf } from "@treadle/protocol/endpoint"
import { CurrentCall, ToolFailed } from "@treadle/server"
import { depthKey } from "../AgentDefinition.ts"
import { subagentJson } from "../SubagentJson.ts"
import type { SpawnMode, SubagentState } from "../Supervisor.ts"
import { cutText } from "../Text.ts"
import type { cancel, send, ServedStatus, spawn, subagentStatus } from "./AgentContract.ts"
import { ServedAgents, type Caller } from "./ServedAgents.ts"

type Subagent = OutputOf<typeof spawn>

/** Characters of the text of a result; its value is whole. */
const longestText = 4_096

const marker = "…[truncated]"

const failing = ({ message }: { readonly message: string }) => new ToolFailed(message)

const caller: Effect.Effect<Caller, never, CurrentCall> = Effect.map(
  CurrentCall.principal,
  (principal) => principal?.id
)

/** What a state says is of the declared output. */
const bodyOf = (state: SubagentState): Subagent => subagentJson(state) as Subagent

/**
 * Whether a run ends when its call is given up: where nobody is left who could read its result. A client that is still
 * there ends it by `subagent.cancel`.
 */
const endsWithCall: Effect.Effect<() => boolean, never, CurrentCall> = Effect.map(
  CurrentCall,
  ({ call }) =>
    () =>
      call.signal.reason === "gone"
)

/** How deep the agent is that calls; one that does not say is no agent of ours, and counts as a root. */
const depthOfCaller: Effect.Effect<number, never, CurrentCall> = Effect.map(CurrentCall.meta, (meta) => {
  const depth = Object.hasOwn(meta, depthKey) ? meta[depthKey] : 0
  return typeof depth === "number" && Number.isSafeInteger(depth) ? depth : 0
})

const finished = (state: SubagentState): Effect.Effect<Reply<Subagent>, ToolFailed> => {
  const { error = "", result, status } = state
  if (status === "failed") return Effect.fail(new ToolFailed(`subagent failed: ${error}`))
  if (status === "cancelled") return Effect.fail(new ToolFailed("subagent terminated: cancelled"))
  const text = typeof result === "string" ? result : JSON.stringify(result ?? null)
  return Effect.succeed(Reply.withText(Reply.of(bodyOf(state)), cutText(text, longestText, marker)))
}

const started = (state: SubagentState): Reply<Subagent> => {
  const { handle, mode } = state
  return Reply.of(mode === "warm" ? { handle, warm: true, alive: true } : { handle, status: "running", done: false })
}

export const servedStatus: Effect.Effect<ServedStatus, never, ServedAgents> = ServedAgents.use(({ status }) => status)

export const onSpawn = ({ async, instruction, output_contract, tool_scope, warm }: InputOf<typeof spawn>) =>
  Effect.gen(function* () {
    const agents = yield* ServedAgents
    const mode: SpawnMode = warm ? "warm" : async ? "async" : "sync"
    const request = {
      instruction,
      mode,
      ...(output_contract === undefined ? {} : { contract: output_contract }),
      ...(tool_scope === undefined ? {} : { servers: tool_scope })
    }
    const call = { ends: yield* endsWithCall, depth: yield* depthOfCaller }
    const spawned = agents.spawn(request, yield* caller, call)
    const state = yield* Effect.mapError(spawned, failing)
    return mode === "sync" ? yield* finished(state) : started(state)
  })

export const onSend = ({ handle, message }: InputOf<typeof send>) =>
  Effect.flatMap(caller, (who) =>
    ServedAgents.use((agents) =>
      Effect.mapError(
        Effect.map(agents.send(handle, message, who), ({ awaiting, turns }) => ({
          handle,
          delivered: true,
          turns,
          awaiting_turn: awaiting
        })),
        failing
      )
    )
  )

export const onStatus = ({ handle }: InputOf<typeof subagentStatus>) =>
  Effect.flatMap(caller, (who) =>
    ServedAgents.use((agents) => Effect.mapError(Effect.map(agents.read(handle, who), bodyOf), failing))
  )

export const onCancel = ({ handle }: InputOf<typeof cancel>) =>
  Effect.flatMap(caller, (who) =>
    ServedAgents.use((agents) =>
      Effect.mapError(
        Effect.map(agents.cancel(handle, who), ({ cancelled, mode }) => ({
          handle,
          cancelled,
          ...(mode === "warm" ? { warm: true } : {}),
          ...(cancelled ? {} : { reason: "already finished" })
        })),
        failing
      )
    )
  )

/** The state of one run as text of JSON; nothing where there is none of this handle. */
export const readSubagent = (handle: string) =>
  Effect.flatMap(caller, (who) =>
    ServedAgents.use((agents) =>
      Effect.map(agents.resource(handle, who), (state) =>
        state === undefined ? undefined : JSON.stringify(subagentJson(state))
      )
    )
  )

/** Why its client cannot be told of the end of a run, where that is so. */
export const unheardSubagent = (handle: string) =>
  Effect.flatMap(caller, (who) => ServedAgents.useSync((agents) => agents.unheard(handle, who)))

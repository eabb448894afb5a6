/**
 * The tools by which a model starts subagents and steers them. A refusal is a result that the model reads.
 */
import * as Effect from "effect/Effect"
import type { JsonObject } from "@treadle/protocol/json"
import { subagentJson } from "../SubagentJson.ts"
import type { HandleRefused, SpawnMode, SpawnRequest, SubagentState, Supervisor } from "../Supervisor.ts"
import { refusal, spoken, type Observation } from "./Observation.ts"
import { ownModelName, textArgument, type OwnTool } from "./OwnTool.ts"

/** Milliseconds that one `subagent.await` takes at most. */
const longestWait = 30_000

const text = { type: "string" } as const
const flag = { type: "boolean", default: false } as const
const handleSchema: JsonObject = { type: "object", properties: { handle: text }, required: ["handle"] }

const spawnSchema: JsonObject = {
  type: "object",
  properties: {
    instruction: { type: "string", description: "The task. The subagent sees nothing else of this conversation." },
    output_contract: { type: "string", description: "What exactly it shall answer." },
    context: { type: "string", description: "What it must know for the task." },
    servers: { type: "array", items: text, description: "Servers that it may use: some of yours. Yours, if left out." },
    async: { ...flag, description: "Go on at once, and look at it by its handle." },
    warm: { ...flag, description: "Keep it for further messages." }
  },
  required: ["instruction"]
}

/** How a subagent stands, for the model. */
const told = (state: SubagentState): Observation => {
  if (state.mode === "sync" && state.status === "failed") return refusal(`subagent failed: ${state.error ?? ""}`)
  return { value: subagentJson(state), isError: false }
}

const refused = ({ message }: { readonly message: string }): Effect.Effect<Observation> =>
  Effect.succeed(refusal(message))

/** The servers that are asked for: nothing where none are said, `undefined` inside where that is no list of names. */
const serversIn = (args: JsonObject): { readonly names: ReadonlyArray<string> | undefined } | undefined => {
  if (!Object.hasOwn(args, "servers") || args["servers"] === null) return { names: undefined }
  const { servers } = args
  return Array.isArray(servers) && servers.every((name) => typeof name === "string") ? { names: servers } : undefined
}

const modeIn = (args: JsonObject): SpawnMode =>
  args["warm"] === true ? "warm" : args["async"] === true ? "async" : "sync"

const requestIn = (args: JsonObject): SpawnRequest | string => {
  const instruction = textArgument(args, "instruction")
  if (instruction === undefined) return "error: subagent.spawn requires an 'instruction'"
  const servers = serversIn(args)
  if (servers === undefined) return "error: 'servers' must be a list of names of servers"
  const context = textArgument(args, "context")
  const contract = textArgument(args, "output_contract")
  return {
    instruction,
    mode: modeIn(args),
    ...(context === undefined ? {} : { context }),
    ...(contract === undefined ? {} : { contract }),
    ...(servers.names === undefined ? {} : { servers: servers.names })
  }
}

const tool = (
  name: string,
  description: string,
  inputSchema: JsonObject,
  run: (args: JsonObject, supervisor: Supervisor) => Effect.Effect<Observation>
): OwnTool => ({
  name,
  modelName: ownModelName(name),
  description,
  inputSchema,
  run: (args, { supervisor }) => run(args, supervisor())
})

/** A tool that is told a handle. */
const byHandle = (
  name: string,
  description: string,
  run: (supervisor: Supervisor, handle: string, args: JsonObject) => Effect.Effect<Observation, HandleRefused>,
  inputSchema: JsonObject = handleSchema
): OwnTool =>
  tool(name, description, inputSchema, (args, supervisor) => {
    const handle = textArgument(args, "handle")
    return handle === undefined
      ? Effect.succeed(refusal(`error: ${name} requires a 'handle'`))
      : Effect.catch(run(supervisor, handle, args), refused)
  })

/** The tools of a run that may start others. */
export const subagentTools: ReadonlyArray<OwnTool> = [
  tool(
    "subagent.spawn",
    "Gives a task to a new subagent, and returns what it answers; with async or warm, its handle at once.",
    spawnSchema,
    (args, supervisor) => {
      const request = requestIn(args)
      if (typeof request === "string") return Effect.succeed(refusal(request))
      return Effect.catch(Effect.map(supervisor.spawn(request), told), refused)
    }
  ),
  byHandle("subagent.status", "Tells how a subagent stands, and what it answered once it has.", (supervisor, handle) =>
    Effect.map(supervisor.status(handle), told)
  ),
  {
    ...byHandle("subagent.await", "Waits until a subagent has answered, 30 seconds at most.", (supervisor, handle) =>
      Effect.map(supervisor.await(handle, longestWait), (state) =>
        state.done || (state.mode === "warm" && state.awaiting === 0)
          ? told(state)
          : spoken(`${handle} is still running (awaited ${longestWait / 1_000}s); await again or check its status`)
      )
    ),
    waits: true
  },
  byHandle("subagent.cancel", "Ends a subagent, with everything that it started.", (supervisor, handle) =>
    Effect.map(supervisor.cancel(handle), ({ cancelled }) => ({
      value: { handle, cancelled, ...(cancelled ? {} : { reason: "already finished" }) },
      isError: false
    }))
  ),
  byHandle(
    "subagent.send",
    "Sends a further message to a warm subagent; await it for the answer.",
    (supervisor, handle, args) => {
      const message = textArgument(args, "message")
      if (message === undefined) return Effect.succeed(refusal("error: subagent.send requires a 'message'"))
      return Effect.map(supervisor.send(handle, message), ({ awaiting, turns }) => ({
        value: { handle, delivered: true, turns, awaiting_turn: awaiting },
        isError: false
      }))
    },
    { type: "object", properties: { handle: text, message: text }, required: ["handle", "message"] }
  )
]

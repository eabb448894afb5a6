/**
 * The calls of one answer of the model: each gets one result. Calls to one server go one after another, those to
 * different servers at once, and so do the agent's own tools.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { McpError } from "@treadle/client"
import { revisionOf } from "@treadle/protocol/era"
import type { JsonObject } from "@treadle/protocol/json"
import { AgentError, AgentReason } from "../AgentError.ts"
import type { RunCall } from "../Outcome.ts"
import type { RunFacts } from "../RunFacts.ts"
import type { ServerTool } from "../toolbox/Catalog.ts"
import { observed, refusal, type Finish, type Observation } from "../toolbox/Observation.ts"
import type { Found, Toolbox } from "../toolbox/Toolbox.ts"
import type { History, ModelCall } from "./History.ts"
import { argumentsOf, isArguments } from "./CallArguments.ts"
import { attempts, delayBefore, failuresInRow, faultNotice, faultPolicy, isLoss } from "./ServerFault.ts"

/** What the calls of a run stand on. */
export interface StepParts {
  readonly facts: RunFacts
  readonly toolbox: Toolbox
  readonly history: History
  /** `_meta` of every request to a server. */
  readonly runMeta: JsonObject
}

/** Calls of one answer that are made; what a model wants beyond that, it is told to ask for again. */
export const callsOfAnswer = 64

const tooMany = refusal(
  `[no result: an answer may make ${callsOfAnswer} calls, and this one is beyond that. Make it again, in a further answer.]`
)

const inputSchemaOf = (found: Found): JsonObject =>
  found._tag === "Own" ? found.tool.inputSchema : found.tool.tool.inputSchema

const isSafe = ({ link, tool }: ServerTool): boolean =>
  link.trusted && (tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true)

type Called = { readonly observation: Observation; readonly error?: McpError }

/** Runs the calls of one round and puts their results into the history. */
export class ToolStep {
  readonly #parts: StepParts
  readonly #calls: Array<RunCall>

  /** @param calls gets what is called, in order */
  constructor(parts: StepParts, calls: Array<RunCall>) {
    this.#parts = parts
    this.#calls = calls
  }

  /**
   * Makes the calls.
   *
   * @returns how `finish` ends the run, where it was called
   */
  run(calls: ReadonlyArray<ModelCall>): Effect.Effect<Finish | undefined, AgentError> {
    const groups = new Map<string, Array<Effect.Effect<Finish | undefined, AgentError>>>()
    for (const [index, call] of calls.entries()) {
      if (index >= callsOfAnswer) {
        this.#parts.history.result(call.id, tooMany)
        continue
      }
      const found = this.#parts.toolbox.find(call.name)
      const key = found?._tag === "Server" ? `server ${found.tool.link.name}` : `call ${call.id}`
      groups.set(key, [...(groups.get(key) ?? []), this.#one(call, found)])
    }
    const inTurn = [...groups.values()].map((group) => Effect.all(group))
    return Effect.map(Effect.all(inTurn, { concurrency: "unbounded" }), (ends) =>
      ends.flat().find((finish) => finish !== undefined)
    )
  }

  #one(call: ModelCall, found: Found | undefined): Effect.Effect<Finish | undefined, AgentError> {
    const server = found?._tag === "Server" ? found.tool.link.name : ""
    const tool = found === undefined ? call.name : found._tag === "Own" ? found.tool.name : found.tool.tool.name
    const { facts, history } = this.#parts
    const at = this.#calls.push({ server, tool, input: call.params }) - 1
    const ran = Effect.suspend(() => {
      facts.emit({ _tag: "ToolCalled", id: call.id, server, tool, input: call.params })
      return this.#ran(call, found)
    })
    return Effect.map(ran, ({ error, observation }) => {
      const { finish, isError, result, value } = observation
      this.#calls[at] = {
        server,
        tool,
        input: call.params,
        ...(result === undefined ? {} : { result }),
        ...(error === undefined ? {} : { error })
      }
      history.result(call.id, observation)
      const text = typeof value === "string" ? value : JSON.stringify(value)
      facts.emit({ _tag: "ToolReturned", id: call.id, server, tool, isError, text })
      return finish
    })
  }

  #ran(call: ModelCall, found: Found | undefined): Effect.Effect<Called, AgentError> {
    if (found === undefined) {
      const meant = this.#parts.toolbox.meant(call.name)
      const cure = meant === undefined ? "" : `; there is ${JSON.stringify(meant)}`
      return Effect.succeed({ observation: refusal(`error: no such tool ${JSON.stringify(call.name)}${cure}`) })
    }
    const read = argumentsOf(call.params, inputSchemaOf(found))
    if (!isArguments(read)) return Effect.succeed({ observation: refusal(read.problem) })
    if (found._tag === "Server") return this.#sent(call, found.tool, read.args, 1)
    const own = Effect.catchDefect(this.#parts.toolbox.run(found.tool, read.args), (defect) =>
      Effect.as(
        Effect.logError(`The agent's own tool ${found.tool.name} broke down.`, defect),
        refusal(`error: ${found.tool.name} broke down`)
      )
    )
    return Effect.map(own, (observation) => ({ observation }))
  }

  #sent(call: ModelCall, server: ServerTool, args: JsonObject, attempt: number): Effect.Effect<Called, AgentError> {
    const { facts, runMeta, toolbox } = this.#parts
    const { link, tool } = server
    const sent = link.session.callTool(tool.name, args, {
      meta: runMeta,
      onProgress: (progress) => facts.emit({ _tag: "ToolProgress", id: call.id, ...progress }),
      ...(link.timeout === undefined ? {} : { timeout: link.timeout })
    })
    return Effect.matchEffect(sent, {
      onSuccess: (result) => {
        toolbox.breakdowns.worked(link.name)
        toolbox.refusals.worked(server.modelName)
        return Effect.succeed({ observation: observed(result, revisionOf(link.session.version)?.structured === true) })
      },
      onFailure: (error) => this.#failed(call, server, args, attempt, error)
    })
  }

  #failed(
    call: ModelCall,
    server: ServerTool,
    args: JsonObject,
    attempt: number,
    error: McpError
  ): Effect.Effect<Called, AgentError> {
    const policy = faultPolicy(error, isSafe(server))
    switch (policy._tag) {
      case "Again":
        if (attempt >= attempts)
          return isLoss(error) ? this.#lost(server, error) : this.#told(server, error, "Try again later.")
        return Effect.flatMap(Random.next, (random) =>
          Effect.andThen(
            Effect.sleep(delayBefore(attempt, policy.after, random)),
            this.#sent(call, server, args, attempt + 1)
          )
        )
      case "Drop":
        return this.#dropped(server, error)
      case "Refused":
        return this.#parts.toolbox.refusals.failed(server.modelName) >= failuresInRow
          ? this.#dropped(server, error)
          : this.#told(server, error, "Its arguments may be wrong: mend them before you call it again.")
      case "Broken": {
        if (this.#parts.toolbox.breakdowns.failed(server.link.name) >= failuresInRow) return this.#lost(server, error)
        const made = isLoss(error) ? "Whether the call was made is not known" : "The server broke down"
        return this.#told(server, error, `${made}; another call may work.`)
      }
      case "Lost":
        return this.#lost(server, error)
      case "Tell":
        return this.#told(server, error, "Go on without it, or try another way.")
    }
  }

  #dropped(server: ServerTool, error: McpError): Effect.Effect<Called> {
    this.#parts.toolbox.drop(server.modelName)
    return this.#told(server, error, "It is not offered any more in this run.")
  }

  #told({ link, tool }: ServerTool, error: McpError, then: string): Effect.Effect<Called> {
    return Effect.succeed({
      observation: refusal(faultNotice(link.name, tool.name, error.reason.message, then)),
      error
    })
  }

  /** A server that the agent needs ends the run; another is left out. */
  #lost({ link, tool }: ServerTool, error: McpError): Effect.Effect<Called, AgentError> {
    const { facts, toolbox } = this.#parts
    if (link.required) {
      const reason = new AgentReason.RequiredServerDown({ server: link.name, detail: error.message, cause: error })
      return Effect.fail(new AgentError({ agent: facts.agent, reason }))
    }
    toolbox.dropServer(link.name)
    facts.emit({ _tag: "Degraded", server: link.name, what: `it is left out from here on: ${error.message}` })
    const notice = faultNotice(link.name, tool.name, error.reason.message, "The server is left out from here on.")
    return Effect.succeed({ observation: refusal(notice), error })
  }
}

/**
 * A run and everything below it: they share connected servers, the list of what these offer, one model and one account
 * of tokens. It lives in a scope and is gone with it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LanguageModel } from "effect/ai/LanguageModel"
import { agentProblems, taggedServers } from "./AgentChecks.ts"
import { AgentError, AgentReason } from "./AgentError.ts"
import { defaultRunIdKey, depthKey, type AnyDefinition, type AnyAgent } from "./AgentDefinition.ts"
import { limitsOf, type Limits } from "./Limits.ts"
import { answerForm, type AnswerForm } from "./loop/FinalAnswer.ts"
import { History } from "./loop/History.ts"
import { runTurn, type TurnParts } from "./loop/Turn.ts"
import { randomId } from "./RandomId.ts"
import { runFacts, type RunFacts } from "./RunFacts.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { ChildRunner, ChildSpec, RunPlace } from "./supervise/ChildRunner.ts"
import { Ledger } from "./supervise/Ledger.ts"
import { Lifetime } from "./supervise/Lifetime.ts"
import { TreePolicy } from "./supervise/SpawnPolicy.ts"
import { SupervisorLive } from "./supervise/SupervisorLive.ts"
import type { Supervisor } from "./Supervisor.ts"
import { isTrifecta } from "./Tag.ts"
import { Catalog } from "./toolbox/Catalog.ts"
import { finishTool } from "./toolbox/FinishTool.ts"
import { ownTools, type OwnTools } from "./toolbox/OwnTool.ts"
import { resourceRead } from "./toolbox/ResourceTools.ts"
import { connectServers, type ServeAgent } from "./toolbox/ServerLink.ts"
import { subagentTools } from "./toolbox/SubagentTools.ts"
import { ModelToolLists, Toolbox } from "./toolbox/Toolbox.ts"
import { ToolScope } from "./ToolScope.ts"
import type { Transcript } from "./Transcript.ts"

/** A place in a tree, and what is special about the run there. */
export interface TreePlace extends RunPlace {
  readonly instruction: string
  readonly contract: string | undefined
  readonly context: string | undefined
  /** What was said before. */
  readonly transcript?: Transcript | undefined
  /** The form of the answer; only the top of a tree has that of the definition. */
  readonly form: AnswerForm | undefined
  /** Waits of a turn for a model that is not there. */
  readonly patience: number
  /** Makes what the run there may start others by; it is asked for once, when it is first needed. */
  readonly supervise: () => Supervisor
}

/** What a subagent is told of itself. */
const subagentInstruction =
  "You are a subagent of an agent. Do the one task that you are given, on your own, and answer with its result alone: your answer is all that is seen of your work."

/** How often a conversation waits in a turn for a model that is not there. */
export const conversationPatience = 8

/** @param cause what the layer of a model failed with */
export const noModel = (agent: string, cause: unknown): AgentError => {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new AgentError({ agent, reason: new AgentReason.IntelligenceUnavailable({ detail, cause }) })
}

const build = ({
  model,
  name
}: AnyDefinition): Effect.Effect<LanguageModel, AgentError, LanguageModel | Scope.Scope> => {
  if (model === undefined) return LanguageModel
  // What the layer needs is in the requirements of the agent.
  const built = Layer.build(model as Layer.Layer<LanguageModel, unknown>)
  return Effect.mapBoth(built, {
    onSuccess: (context) => Context.get(context, LanguageModel),
    onFailure: (cause) => noModel(name, cause)
  })
}

/** What trees of one connected agent have in common. */
export interface TreeBasis {
  readonly definition: AnyDefinition
  readonly limits: Limits
  readonly catalog: Catalog
  readonly lists: ModelToolLists
  readonly lifetime: Lifetime
  readonly model: LanguageModel
  readonly form: AnswerForm | undefined
  /** The tools of its own for a run that has a form of its answer, that may read resources, that may start others. */
  readonly own: OwnToolsOf
}

type OwnToolsOf = (form: AnswerForm | undefined, reads: boolean, starts: boolean) => OwnTools

/** Makes each combination once. */
const makeOwnTools = (): OwnToolsOf => {
  const made = new Map<string, OwnTools>()
  return (form, reads, starts) => {
    const key = `${form !== undefined} ${reads} ${starts}`
    const known = made.get(key)
    if (known !== undefined) return known
    const own = ownTools([finishTool(form?.schema), ...(reads ? [resourceRead] : []), ...(starts ? subagentTools : [])])
    made.set(key, own)
    return own
  }
}

/** One tree of runs, from its top. */
export class AgentTree {
  /** The form of the answer at the top. */
  readonly form: AnswerForm | undefined
  readonly #basis: TreeBasis
  readonly #runId: string
  readonly #options: RunOptions
  readonly #ledger: Ledger

  constructor(basis: TreeBasis, runId: string, options: RunOptions, ledger: Ledger) {
    this.form = basis.form
    this.#basis = basis
    this.#runId = runId
    this.#options = options
    this.#ledger = ledger
  }

  /** What the turns at the root stand on. Subagents that outlive it end with the scope. */
  root({ context, contract, transcript }: RunOptions, patience: number): Effect.Effect<TurnParts, never, Scope.Scope> {
    return Effect.suspend(() => {
      const place: RunPlace = { path: "0", depth: 0, scope: "all" }
      let made: SupervisorLive | undefined
      const supervise = () =>
        (made = new SupervisorLive(place, new TreePolicy(this.#basis.limits, this.#ledger), this.#runner()))
      this.#begin(place)
      const { instruction } = this.#basis.definition
      const parts = this.#parts({
        ...place,
        instruction,
        contract,
        context,
        transcript,
        form: this.form,
        patience,
        supervise
      })
      return Effect.as(
        Effect.addFinalizer(() => made?.close ?? Effect.void),
        parts
      )
    })
  }

  /** What the turns stand on of one that others started: at the top of a tree of its own, as what the agent is. */
  top({ below, request, ...place }: ChildSpec, patience: number): TurnParts {
    this.#begin(place)
    const { instruction } = this.#basis.definition
    const { context, contract } = request
    const told = { instruction, contract, context, form: this.form, patience }
    return this.#parts({ ...place, ...told, supervise: () => below(this.#runner()) })
  }

  /** Tells that a run starts which no other of this tree started. */
  #begin({ depth, path }: RunPlace): void {
    const { agent, emit } = this.#facts(path, depth)
    emit({ _tag: "RunStarted", agent })
    const servers = taggedServers(this.#basis.definition)
    if (isTrifecta(servers.map(({ tags }) => tags))) {
      emit({ _tag: "TrifectaAllowed", servers: servers.map(({ name }) => name) })
    }
  }

  /** The facts of a run of this tree. */
  #facts(path: string, depth: number): RunFacts {
    const { name } = this.#basis.definition
    return runFacts({ agent: name, runId: this.#runId, path, depth }, this.#options.onEvent)
  }

  /** What the turns at a place stand on, with a history of their own. */
  #parts(place: TreePlace): TurnParts {
    const { catalog, definition, lifetime, limits, lists, model } = this.#basis
    const { context, contract, depth, form, instruction, path, patience, scope, supervise, transcript } = place
    const facts = this.#facts(path, depth)
    const history = new History(transcript?.messages)
    if (context !== undefined) history.say(context)
    let supervisor: Supervisor | undefined
    const runMeta = { [definition.runIdKey ?? defaultRunIdKey]: this.#runId, [depthKey]: depth }
    return {
      facts,
      toolbox: new Toolbox(lists, this.#own(place), {
        catalog,
        scope,
        runMeta,
        supervisor: () => (supervisor ??= supervise())
      }),
      history,
      runMeta,
      told: { instruction, contract, answer: form?.schema },
      form,
      limits,
      catalog,
      model,
      streams: this.#options.stream === true,
      patience,
      begins: () => supervisor?.turn(),
      charge: (tokens) => {
        this.#ledger.charge(tokens)
        lifetime.charge(tokens, facts)
      },
      sharedIsSpent: () => this.#ledger.spent || lifetime.spent
    }
  }

  /** The tools of its own that a run is offered: those that it could use. */
  #own({ depth, form, scope }: TreePlace): OwnTools {
    const { catalog, definition, limits, own } = this.#basis
    const reads = catalog.links.some(
      ({ name, session }) => ToolScope.has(scope, name) && session.capabilities.resources !== undefined
    )
    const starts = definition.subagents !== false && depth < limits.depth && limits.children > 0
    return own(form, reads, starts)
  }

  /** Runs what runs of this tree start: with a history of their own, and nothing of their parent but what it hands on. */
  #runner(): ChildRunner {
    const partsOf = ({ below, request, ...place }: ChildSpec, patience: number) => {
      const { context, contract } = request
      const told = { instruction: subagentInstruction, contract, context, form: undefined, patience }
      return this.#parts({ ...place, ...told, supervise: () => below(this.#runner()) })
    }
    const { definition } = this.#basis
    return {
      servers: taggedServers(definition),
      allowTrifecta: definition.allowTrifecta === true,
      run: (spec, stop) => runTurn<string>(partsOf(spec, 0), spec.request.instruction, stop),
      open: (spec) =>
        Effect.sync(() => {
          const parts = partsOf(spec, conversationPatience)
          return { turn: (message, stop) => runTurn<string>(parts, message, stop) }
        }),
      emit: ({ depth, path }, event) => this.#facts(path, depth).emit(event)
    }
  }
}

/** An agent with its servers connected, of which trees are made. */
export interface Connected {
  /** @param ledger the account of the tree; one of its own where none is given */
  readonly tree: (options: RunOptions, ledger?: Ledger) => Effect.Effect<AgentTree>
}

/**
 * Connects an agent.
 *
 * Fails with `InvalidDefinition` before anything is opened, and with `RequiredServerDown`.
 *
 * @param serveAgent makes a server of an agent that is declared as one
 */
export const connectAgent = (
  { definition, name }: AnyAgent,
  options: RunOptions,
  serveAgent: ServeAgent
): Effect.Effect<Connected, AgentError, LanguageModel | Scope.Scope> =>
  Effect.gen(function* () {
    const problems = agentProblems(definition)
    if (problems.length > 0) {
      return yield* new AgentError({ agent: name, reason: new AgentReason.InvalidDefinition({ problems }) })
    }
    const runId = options.runId ?? (yield* randomId)
    const facts = runFacts({ agent: name, runId, path: "0", depth: 0 }, options.onEvent)
    const model = yield* build(definition)
    const links = yield* connectServers(definition, facts, serveAgent)
    const catalog = new Catalog(links, facts)
    yield* catalog.watched
    yield* catalog.refresh
    const limits = limitsOf(definition.limits)
    const basis: TreeBasis = {
      definition,
      limits,
      catalog,
      lists: new ModelToolLists(),
      lifetime: new Lifetime(limits.lifetimeTokens),
      model,
      form: definition.answer === undefined ? undefined : answerForm(definition.answer),
      own: makeOwnTools()
    }
    const tree = (own: RunOptions, ledger = new Ledger(limits)): Effect.Effect<AgentTree> =>
      Effect.map(
        own.runId === undefined ? randomId : Effect.succeed(own.runId),
        (id) => new AgentTree(basis, own === options ? runId : id, own, ledger)
      )
    return { tree }
  })

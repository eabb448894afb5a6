/**
 * A run and everything below it: they share connected servers, the list of what these offer, one model and one account
 * of tokens. It lives in a scope and is gone with it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LanguageModel } from "effect/ai/LanguageModel"
import type { PureSchema } from "@treadle/protocol/endpoint"
import { agentProblems, taggedServers } from "./AgentChecks.ts"
import { AgentError, AgentReason } from "./AgentError.ts"
import { defaultRunIdKey, type AgentDefinition, type AnyAgent } from "./AgentDefinition.ts"
import { limitsOf, type Limits } from "./Limits.ts"
import { answerForm, type AnswerForm } from "./loop/FinalAnswer.ts"
import { History } from "./loop/History.ts"
import type { TurnParts } from "./loop/Turn.ts"
import type { RunCall } from "./Outcome.ts"
import { randomId } from "./RandomId.ts"
import { runFacts, type RunFacts } from "./RunFacts.ts"
import type { RunOptions } from "./RunOptions.ts"
import { isTrifecta } from "./Tag.ts"
import { Catalogue } from "./toolbox/Catalogue.ts"
import { finishTool } from "./toolbox/FinishTool.ts"
import type { OwnTool } from "./toolbox/OwnTool.ts"
import { resourceRead } from "./toolbox/ResourceTools.ts"
import { connectServers, type ServeAgent } from "./toolbox/ServerLink.ts"
import { ModelToolLists, Toolbox } from "./toolbox/Toolbox.ts"
import type { ToolScope } from "./ToolScope.ts"

/** A place in a tree, and what is special about the run there. */
export interface TreePlace {
  readonly path: string
  readonly depth: number
  readonly scope: ToolScope
  readonly instruction: string
  readonly contract: string | undefined
  readonly context: string | undefined
  /** The form of the answer; only the root of a tree has that of the definition. */
  readonly form: AnswerForm | undefined
  /** Waits of a turn for a model that is not there. */
  readonly patience: number
  readonly own: ReadonlyArray<OwnTool>
}

const build = (
  definition: AgentDefinition<unknown, unknown>
): Effect.Effect<LanguageModel, never, LanguageModel | Scope.Scope> =>
  definition.model === undefined
    ? LanguageModel
    : Effect.map(
        // What the layer needs is in the requirements of the agent.
        Layer.build(definition.model as Layer.Layer<LanguageModel>),
        (context) => Context.get(context, LanguageModel)
      )

export class AgentTree {
  readonly definition: AgentDefinition<unknown, unknown>
  readonly limits: Limits
  readonly catalogue: Catalogue
  readonly runId: string
  readonly form: AnswerForm | undefined
  readonly #model: LanguageModel
  readonly #options: RunOptions
  readonly #lists: ModelToolLists
  #tokens = 0

  constructor(
    definition: AgentDefinition<unknown, unknown>,
    catalogue: Catalogue,
    lists: ModelToolLists,
    model: LanguageModel,
    runId: string,
    options: RunOptions
  ) {
    this.definition = definition
    this.limits = limitsOf(definition.limits)
    this.catalogue = catalogue
    this.runId = runId
    this.form = definition.answer === undefined ? undefined : answerForm(definition.answer as PureSchema)
    this.#lists = lists
    this.#model = model
    this.#options = options
  }

  /** Tokens that the tree has used. */
  get tokens(): number {
    return this.#tokens
  }

  /** The facts of a run of this tree. */
  facts(path: string, depth: number): RunFacts {
    return runFacts({ agent: this.definition.name, runId: this.runId, path, depth }, this.#options.onEvent)
  }

  /** What the turns at the root stand on. */
  root(told: Pick<TreePlace, "instruction" | "contract" | "context" | "patience">): TurnParts {
    return this.parts({ ...told, path: "0", depth: 0, scope: "all", form: this.form, own: [] })
  }

  /** What the turns at a place stand on, with a history of their own. */
  parts(place: TreePlace): TurnParts {
    const { context, contract, depth, form, instruction, own, path, patience, scope } = place
    const history = new History()
    if (context !== undefined) history.say(context)
    const runMeta = { [this.definition.runIdKey ?? defaultRunIdKey]: this.runId }
    const hasResources = this.catalogue.links.some(({ session }) => session.capabilities.resources !== undefined)
    const tools = [
      finishTool(form?.schema),
      ...(hasResources ? [resourceRead(this.catalogue, scope, runMeta)] : []),
      ...own
    ]
    const calls: Array<RunCall> = []
    return {
      facts: this.facts(path, depth),
      toolbox: new Toolbox(this.catalogue, this.#lists, scope, tools),
      history,
      runMeta,
      calls,
      broken: new Map(),
      told: { instruction, contract, answer: form?.schema },
      form,
      limits: this.limits,
      catalogue: this.catalogue,
      model: this.#model,
      streams: this.#options.stream === true,
      patience,
      charge: (tokens) => {
        this.#tokens += tokens
      },
      treeTokens: () => this.#tokens
    }
  }
}

/** An agent with its servers connected, of which trees are made. */
export interface Connected {
  readonly tree: (options: RunOptions) => Effect.Effect<AgentTree>
}

/**
 * Connects an agent.
 *
 * Fails with `InvalidDefinition` before anything is opened, and with `RequiredServerDown`.
 */
export const connectAgent = (
  { definition, name }: AnyAgent,
  options: RunOptions,
  serveAgent: ServeAgent = () => ({ "~treadle/direct": () => Effect.die("TODO") })
): Effect.Effect<Connected, AgentError, LanguageModel | Scope.Scope> =>
  Effect.gen(function* () {
    const problems = agentProblems(definition)
    if (problems.length > 0) {
      return yield* new AgentError({ agent: name, reason: new AgentReason.InvalidDefinition({ problems }) })
    }
    const runId = options.runId ?? (yield* randomId)
    const facts = runFacts({ agent: name, runId, path: "0", depth: 0 }, options.onEvent)
    facts.emit({ _tag: "RunStarted", agent: name })
    const tagged = taggedServers(definition)
    if (isTrifecta(tagged.map(({ tags }) => tags))) {
      facts.emit({ _tag: "TrifectaAllowed", servers: tagged.map((server) => server.name) })
    }
    const model = yield* build(definition)
    const links = yield* connectServers(definition, facts, serveAgent)
    const catalogue = new Catalogue(links, facts)
    yield* catalogue.watched
    yield* catalogue.refresh
    const lists = new ModelToolLists()
    const tree = (own: RunOptions): Effect.Effect<AgentTree> =>
      Effect.map(
        own.runId === undefined ? randomId : Effect.succeed(own.runId),
        (id) => new AgentTree(definition, catalogue, lists, model, own === options ? runId : id, own)
      )
    return { tree }
  })

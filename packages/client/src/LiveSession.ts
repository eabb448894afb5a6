/**
 * The session that a caller holds: every request goes over whatever link is current.
 */
import * as Effect from "effect/Effect"
import { own, type Json } from "@treadle/protocol/json"
import { ClientRequest, type LogLevel, type ReadResult } from "@treadle/protocol/schema"
import { notOffered, tellsOf, type Agreed } from "./engine/opening/Agreed.ts"
import { freshnessOf, type Cache } from "./engine/lists/Cache.ts"
import type { Counters } from "./engine/ClientEngine.ts"
import type { Links } from "./engine/Links.ts"
import { kinds, type Lists } from "./engine/lists/Lists.ts"
import { thingsOf, type Thing } from "./engine/watching/Listeners.ts"
import type { Plan, Requests } from "./engine/Requests.ts"
import type { Watch } from "./engine/watching/Watch.ts"
import { McpReason, type McpError } from "./McpError.ts"
import type { CallOptions, McpSession } from "./McpSession.ts"
import type { ToolCalls } from "./ToolCalls.ts"

/** What a session stands on. */
export interface SessionParts {
  readonly links: Links
  readonly requests: Requests
  readonly lists: Lists
  readonly cache: Cache
  readonly watch: Watch
  readonly calls: ToolCalls
  readonly counters: Counters
  /** The plan that the options of a request make; what is not a call may be sent twice. */
  readonly planOf: (options?: CallOptions, safe?: boolean) => Plan
  /** What was agreed when it was opened. */
  readonly agreed: Agreed
  /** Says the level of log messages to every link that is opened from now on. */
  readonly setLogLevel: (level: LogLevel) => void
}

/** Why a thing cannot be watched, where it cannot. */
const unwatchable = (agreed: Agreed, thing: Thing): string | undefined => {
  if (!thing.startsWith("uri:")) {
    return tellsOf(agreed, thing)
      ? undefined
      : `the server does not tell of changes of its ${thing} (${thing}.listChanged)`
  }
  if (thing.includes("{")) return `${thing.slice(4)} is a template; only an address can be watched`
  return own(own(agreed.capabilities, "resources"), "subscribe") === true
    ? undefined
    : "the server does not tell of updates (resources.subscribe)"
}

/** A session that is open. */
export class LiveSession implements McpSession {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  get server(): McpSession["server"] {
    return this.#now().server
  }

  get instructions(): McpSession["instructions"] {
    return this.#now().instructions
  }

  get capabilities(): McpSession["capabilities"] {
    return this.#now().capabilities
  }

  get era(): McpSession["era"] {
    return this.#now().era
  }

  get version(): McpSession["version"] {
    return this.#now().version
  }

  readonly call: McpSession["call"] = (endpoint) => this.#parts.calls.call(endpoint)

  readonly reply: McpSession["reply"] = (endpoint) => this.#parts.calls.reply(endpoint)

  readonly open: McpSession["open"] = (endpoint) => this.#parts.calls.open(endpoint)

  readonly callTool: McpSession["callTool"] = (name, args, options) => this.#parts.calls.callTool(name, args, options)

  readonly task: McpSession["task"] = (endpoint) => this.#parts.calls.task(endpoint)

  readonly listTools: McpSession["listTools"] = (options) => this.#parts.calls.listTools(options)

  readonly listResources: McpSession["listResources"] = (options) =>
    this.#parts.lists.all(kinds.resources, this.#parts.planOf(options), options?.onEndless)

  readonly listTemplates: McpSession["listTemplates"] = (options) =>
    this.#parts.lists.all(kinds.templates, this.#parts.planOf(options), options?.onEndless)

  readonly listPrompts: McpSession["listPrompts"] = (options) =>
    this.#parts.lists.all(kinds.prompts, this.#parts.planOf(options), options?.onEndless)

  readonly readResource: McpSession["readResource"] = (uri, options) => {
    const { cache, planOf, requests } = this.#parts
    const request = ClientRequest.readResource(uri)
    const plan = planOf(options)
    const asked = Effect.map(requests.ask(request, plan), ({ asked, result }) => ({
      // A decoded result of the wire is JSON.
      value: result as ReadResult & Json,
      freshness: asked ? undefined : freshnessOf(result)
    }))
    return cache.through({ method: "resources/read", uri }, asked, (found) => requests.within(request, plan, found))
  }

  readonly getPrompt: McpSession["getPrompt"] = (name, args, options) => {
    const asked = this.#parts.requests.ask(ClientRequest.getPrompt(name, args), this.#parts.planOf(options))
    return Effect.map(asked, ({ result }) => result)
  }

  readonly complete: McpSession["complete"] = (ref, argument, chosen, options) =>
    this.#parts.requests.request(ClientRequest.complete(ref, argument, chosen), this.#parts.planOf(options))

  readonly watch: McpSession["watch"] = (watched) => {
    const refusals = thingsOf(watched).map((thing) => unwatchable(this.#now(), thing))
    const what = refusals.find((refusal) => refusal !== undefined)
    return what === undefined ? this.#parts.watch.watch(watched) : this.#notOffered(ClientRequest.listen({}), what)
  }

  readonly setLogLevel: McpSession["setLogLevel"] = (level) =>
    Effect.flatMap(this.#parts.links.get, ({ agreed, engine }) => {
      const request = ClientRequest.setLogLevel(level)
      // The same capability stands for it in both eras.
      const what = notOffered({ ...agreed, era: "compat" }, request.method)
      if (what !== undefined) return this.#notOffered(request, what)
      this.#parts.setLogLevel(level)
      const { era, version } = agreed
      return era === "compat"
        ? Effect.asVoid(this.#parts.requests.request(request, this.#parts.planOf()))
        : Effect.sync(() => engine.speak({ era, version, logLevel: level }))
    })

  readonly ping: McpSession["ping"] = (options) =>
    Effect.asVoid(this.#parts.requests.request(ClientRequest.ping(), this.#parts.planOf(options)))

  readonly request: McpSession["request"] = (request, options) =>
    this.#parts.requests.request(request, this.#parts.planOf(options, request.method !== "tools/call"))

  readonly counters: McpSession["counters"] = () => {
    const { counters, links, watch } = this.#parts
    const waiting = [...(links.current()?.engine.running() ?? [])].length
    return { waiting, late: counters.late, links: counters.links, watching: watch.listeners }
  }

  #now(): Agreed {
    return this.#parts.links.agreed() ?? this.#parts.agreed
  }

  #notOffered(request: ClientRequest, what: string): Effect.Effect<never, McpError> {
    return Effect.fail(this.#parts.requests.error(request, new McpReason.NotOffered({ what })))
  }
}

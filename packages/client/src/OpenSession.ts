/**
 * Puts a session together: its links, its requests, what it keeps and what it watches.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { own, type Json } from "@treadle/protocol/json"
import { ClientRequest, type LogLevel, type ReadResult } from "@treadle/protocol/schema"
import { declared } from "./Answers.ts"
import { makeCacheStore } from "./CacheStore.ts"
import { defaults, logHook, noiseHook, type ClientSettings } from "./ClientSettings.ts"
import { notOffered, type Agreed } from "./engine/Agreed.ts"
import { makeAnswering } from "./engine/Answering.ts"
import { Cache, freshnessOf, type CacheSubject } from "./engine/Cache.ts"
import type { Counters } from "./engine/ClientEngine.ts"
import { makeLinks, type Opened } from "./engine/Links.ts"
import { kinds, Lists } from "./engine/Lists.ts"
import { thingsOf, type Thing } from "./engine/Listeners.ts"
import type { Opening } from "./engine/Opening.ts"
import { requestError } from "./engine/RequestError.ts"
import { Requests, type Plan } from "./engine/Requests.ts"
import { Watch } from "./engine/Watch.ts"
import { McpReason, type McpError } from "./McpError.ts"
import type { CallOptions, McpSession } from "./McpSession.ts"
import { hearerOf, ToolCalls } from "./ToolCalls.ts"

/** How the links of a session are opened. */
export interface SessionSource {
  /** What messages of errors call the server. */
  readonly server: string
  /** What the server is remembered by; absent where it cannot be met again. */
  readonly known: string | undefined
  /** Names on whose behalf is called, for answers that are kept for one caller only. */
  readonly caller: Effect.Effect<string>
  /** @param lose called when the link is found to be lost */
  readonly open: (opening: Opening, lose: () => void) => Effect.Effect<Opened, McpError, Scope.Scope>
}

const isWithin = (uri: string, other: string): boolean =>
  uri === other || uri.startsWith(other.endsWith("/") ? other : `${other}/`)

/** Whether a change makes what is kept of a subject stale. */
const staleBy =
  (thing: Thing) =>
  ({ method, uri }: CacheSubject): boolean => {
    if (thing === "resources") return method === "resources/list" || method === "resources/templates/list"
    return thing.startsWith("uri:") ? uri !== undefined && isWithin(thing.slice(4), uri) : method === `${thing}/list`
  }

/** What has to be declared for a thing to be watched, as a sentence, where it is not. */
const unwatchable = ({ capabilities }: Agreed, thing: Thing): string | undefined => {
  if (!thing.startsWith("uri:")) {
    const tells = own(own(capabilities, thing), "listChanged") === true
    return tells ? undefined : `the server does not tell of changes of its ${thing} (${thing}.listChanged)`
  }
  if (thing.includes("{")) return `${thing.slice(4)} is a template; only an address can be watched`
  return own(own(capabilities, "resources"), "subscribe") === true
    ? undefined
    : "the server does not tell of updates (resources.subscribe)"
}

const planOf =
  (settings: ClientSettings) =>
  (options: CallOptions = {}, safe = true): Plan => {
    const timeout = options.timeout ?? settings.timeout ?? defaults.timeout
    const most = settings.maxTotalTimeout ?? defaults.maxTotalTimeout
    return {
      timeout,
      maxTotalTimeout: options.maxTotalTimeout ?? Math.max(most, timeout),
      onProgress: hearerOf(options.onProgress),
      extend: options.resetTimeoutOnProgress ?? options.onProgress !== undefined,
      meta: options.meta,
      safe
    }
  }

/** Opens a session; it is there once its first link is. */
export const openSession = (
  source: SessionSource,
  settings: ClientSettings
): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { server } = source
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const counters: Counters = { late: 0, links: 0 }
    const answers = settings.answers ?? {}
    const answering = makeAnswering(answers)
    const ping = settings.ping === false ? false : { ...defaults.ping, ...settings.ping }
    const discover = ClientRequest.discover()
    let logLevel: LogLevel | undefined

    const opening: Opening = {
      terms: {
        sender: { client: settings.client ?? defaults.client, capabilities: declared(answers, settings.extensions) },
        revision: settings.revision,
        greet: false,
        probeTimeout: settings.probeTimeout ?? defaults.probeTimeout,
        known: source.known
      },
      answering,
      answers: Object.keys(answers).length > 0,
      counters,
      onNoise: noiseHook(settings),
      onLog: logHook(settings),
      ping,
      logLevel: () => logLevel,
      changed: (thing) => watch.tell(thing),
      missed: () => watch.tellAll()
    }
    const { connectTimeout = defaults.connectTimeout } = settings
    const tooLate = () => {
      const reason = new McpReason.TimedOut({ after: connectTimeout, method: discover.method })
      return Effect.fail(requestError(server, discover, reason))
    }
    const links = yield* makeLinks(
      // Every way to open a link is tried within one limit: a second process, or the two endpoints of old.
      (lose) => Effect.timeoutOrElse(source.open(opening, lose), { duration: connectTimeout, orElse: tooLate }),
      () => requestError(server, discover, new McpReason.Closed({}))
    )
    const cacheSettings = settings.cache === false ? { store: makeCacheStore(0), context: "" } : (settings.cache ?? {})
    const cache = new Cache(server, cacheSettings, source.caller)
    const silence = ping === false ? Infinity : 3 * ping.interval
    const watch = new Watch(links, { timeout: settings.timeout ?? defaults.timeout, silence }, (thing) => {
      run(cache.changed(staleBy(thing)))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => watch.close()))
    yield* Effect.forkScoped(watch.keep)

    const requests = new Requests(server, links, {
      answering,
      maxRounds: settings.maxRounds ?? defaults.maxRounds,
      answerTimeout: settings.answerTimeout ?? defaults.answerTimeout
    })
    const plan = planOf(settings)
    const lists = new Lists(links, requests, cache)
    const calls = new ToolCalls({ links, requests, lists, planOf: plan, trusted: settings.trusted === true })

    let { agreed } = yield* links.get
    /** What was agreed last; while a link is lost, that is still what the session knows. */
    const now = (): Agreed => (agreed = links.current()?.agreed ?? agreed)

    const readResource: McpSession["readResource"] = (uri, options) => {
      const asked = Effect.map(requests.ask(ClientRequest.readResource(uri), plan(options)), ({ asked, result }) => ({
        // A decoded result of the wire is JSON.
        value: result as ReadResult & Json,
        freshness: asked ? undefined : freshnessOf(result)
      }))
      return cache.through({ method: "resources/read", uri }, asked)
    }

    return {
      get server() {
        return now().server
      },
      get instructions() {
        return now().instructions
      },
      get capabilities() {
        return now().capabilities
      },
      get era() {
        return now().era
      },
      get version() {
        return now().version
      },
      call: calls.call,
      reply: calls.reply,
      open: calls.open,
      callTool: calls.callTool,
      listTools: calls.listTools,
      listResources: (options) => lists.all(kinds.resources, plan(options)),
      listTemplates: (options) => lists.all(kinds.templates, plan(options)),
      listPrompts: (options) => lists.all(kinds.prompts, plan(options)),
      readResource,
      getPrompt: (name, args, options) =>
        Effect.map(requests.ask(ClientRequest.getPrompt(name, args), plan(options)), ({ result }) => result),
      complete: (ref, argument, chosen, options) =>
        requests.request(ClientRequest.complete(ref, argument, chosen), plan(options)),
      watch: (watched) => {
        const refusal = thingsOf(watched)
          .map((thing) => unwatchable(now(), thing))
          .find((what) => what !== undefined)
        if (refusal === undefined) return watch.watch(watched)
        return Effect.fail(requestError(server, ClientRequest.listen({}), new McpReason.NotOffered({ what: refusal })))
      },
      setLogLevel: (level) =>
        Effect.flatMap(links.get, (link) => {
          const request = ClientRequest.setLogLevel(level)
          logLevel = level
          const { era, version } = link.agreed
          if (era === "compat") return Effect.asVoid(requests.request(request, plan()))
          const what = notOffered({ ...link.agreed, era: "compat" }, request.method)
          if (what !== undefined) return Effect.fail(requestError(server, request, new McpReason.NotOffered({ what })))
          return Effect.sync(() => link.engine.speak({ era, version, logLevel: level }))
        }),
      ping: (options) => Effect.asVoid(requests.request(ClientRequest.ping(), plan(options))),
      request: (request, options) => requests.request(request, plan(options, request.method !== "tools/call")),
      counters: () => ({
        waiting: [...(links.current()?.engine.running() ?? [])].length,
        late: counters.late,
        links: counters.links,
        watching: watch.listeners
      })
    }
  })

/**
 * Puts a session together: its links, its requests, what it keeps and what it watches.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ClientRequest, tasksExtension, type LogLevel } from "@treadle/protocol/schema"
import { declared } from "./Answers.ts"
import { makeCacheStore, type CacheSettings } from "./CacheStore.ts"
import { defaults, guarded, logHook, noiseHook, unknownSetting, type ClientSettings } from "./ClientSettings.ts"
import { answeringWithin, makeAnswering, type Answering } from "./engine/asking/Answering.ts"
import { Deadlines } from "./engine/Deadline.ts"
import { Cache, type CacheSubject } from "./engine/lists/Cache.ts"
import type { Counters } from "./engine/ClientEngine.ts"
import { Completions } from "./engine/asking/Completions.ts"
import { makeLinks, type Opened } from "./engine/Links.ts"
import { Lists } from "./engine/lists/Lists.ts"
import { concerns, type Thing } from "./engine/watching/Listeners.ts"
import type { Opening } from "./engine/opening/Opening.ts"
import { requestError } from "./engine/RequestError.ts"
import { Requests, type Plan } from "./engine/Requests.ts"
import { Farewells } from "./engine/tasks/Farewells.ts"
import { Watch } from "./engine/watching/Watch.ts"
import { McpReason, type McpError } from "./McpError.ts"
import type { CallOptions, McpSession } from "./McpSession.ts"
import { LiveSession } from "./LiveSession.ts"
import { hearerOf, ToolCalls } from "./ToolCalls.ts"

/** How the links of a session are opened. */
export interface SessionSource {
  /** What messages of errors call the server. */
  readonly server: string
  /** What the server is remembered by; absent where it cannot be met again. */
  readonly known: string | undefined
  /** The settings that it has beside those of every session. */
  readonly names: ReadonlyArray<string>
  /** `false` where a link that is lost is the end. */
  readonly reopens?: boolean
  /** Names on whose behalf is called, for answers that are kept for one caller only. */
  readonly caller: Effect.Effect<string>
  /** @param lose called when the link is found to be lost */
  readonly open: (opening: Opening, lose: () => void) => Effect.Effect<Opened, McpError, Scope.Scope>
}

/** Whether a change makes what is kept of a subject stale. */
const staleBy =
  (thing: Thing) =>
  ({ method, uri }: CacheSubject): boolean => {
    if (thing === "resources") return method === "resources/list" || method === "resources/templates/list"
    return thing.startsWith("uri:") ? uri !== undefined && concerns(`uri:${uri}`, thing) : method === `${thing}/list`
  }

const planOf =
  (settings: ClientSettings) =>
  (options: CallOptions = {}, safe = true): Plan => {
    const timeout = options.timeout ?? settings.timeout ?? defaults.timeout
    const most = settings.maxTotalTimeout ?? defaults.maxTotalTimeout
    const extend = options.resetTimeoutOnProgress ?? options.onProgress !== undefined
    return {
      timeout,
      maxTotalTimeout: options.maxTotalTimeout ?? Math.max(most, timeout),
      firm: options.timeout !== undefined && options.maxTotalTimeout === undefined && !extend,
      onProgress: hearerOf(options.onProgress),
      extend,
      onTask: options.onTask === undefined ? undefined : guarded(options.onTask),
      keepTask: options.keepTask,
      meta: options.meta,
      safe
    }
  }

/** What the links of a session are opened with, but for what they tell. */
const openingOf = (source: SessionSource, settings: ClientSettings, answering: Answering) => {
  const { answers = {}, answerTimeout = defaults.answerTimeout, extensions } = settings
  const compat = declared(answers, extensions)
  const native = settings.tasks === false ? compat : declared(answers, { [tasksExtension]: {}, ...extensions })
  return {
    terms: {
      sender: { client: settings.client ?? defaults.client, capabilities: { native, compat } },
      revision: settings.revision,
      greet: false,
      probeTimeout: settings.probeTimeout ?? defaults.probeTimeout,
      known: source.known
    },
    answering: answeringWithin(answering, answerTimeout),
    answers: Object.keys(answers).length > 0,
    onNoise: noiseHook(settings),
    onLog: logHook(settings),
    ping: settings.ping === false ? (false as const) : { ...defaults.ping, ...settings.ping }
  }
}

const cacheOf = ({ cache }: ClientSettings): CacheSettings =>
  cache === false ? { store: makeCacheStore(0), context: "" } : (cache ?? {})

/** What the error of a session that was not opened is about. */
const discover = ClientRequest.discover()

/** Opens a session; it is there once its first link is. */
export const openSession = (
  source: SessionSource,
  settings: ClientSettings
): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { server } = source
    const notOpened = (reason: McpReason) => requestError(server, discover, reason)
    const unknown = unknownSetting(settings, source.names)
    if (unknown !== undefined) return yield* notOpened(new McpReason.Transport({ message: unknown, notRun: true }))
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const counters: Counters = { late: 0, links: 0 }
    const answering = makeAnswering(settings.answers ?? {})
    const facts = openingOf(source, settings, answering)
    const completions = new Completions()
    let logLevel: LogLevel | undefined

    const opening: Opening = {
      ...facts,
      counters,
      logLevel: () => logLevel,
      completed: (id) => completions.done(id),
      changed: (thing) => watch.tell(thing),
      missed: () => watch.tellAll(),
      late: (message) => requests.late(message)
    }
    const { connectTimeout: after = defaults.connectTimeout } = settings
    const tooLate = () =>
      Effect.fail(notOpened(new McpReason.TimedOut({ after, method: discover.method, limit: "connectTimeout" })))
    const links = yield* makeLinks(
      // Every way to open a link is tried within one limit: a second process, or the two endpoints of old.
      (lose) => Effect.timeoutOrElse(source.open(opening, lose), { duration: after, orElse: tooLate }),
      () => notOpened(new McpReason.Closed({ notRun: true }))
    )
    const cache = new Cache(server, cacheOf(settings), source.caller)
    const watchTerms = {
      server,
      timeout: settings.timeout ?? defaults.timeout,
      silence: facts.ping === false ? Infinity : 3 * facts.ping.interval,
      reopens: source.reopens !== false
    }
    const watch = new Watch(links, watchTerms, (thing) => void run(cache.changed(staleBy(thing))))
    yield* Effect.addFinalizer(() => Effect.sync(() => watch.close()))
    yield* Effect.forkScoped(watch.keep)

    const deadlines = new Deadlines(yield* Effect.clockWith(Effect.succeed), run)
    yield* Effect.addFinalizer(() => Effect.sync(() => deadlines.close()))
    const farewells = new Farewells(run)
    yield* Effect.addFinalizer(() => farewells.said)
    const rounds = {
      answering,
      showsPages: settings.answers?.url !== undefined,
      completed: completions.of,
      maxRounds: settings.maxRounds ?? defaults.maxRounds,
      answerTimeout: settings.answerTimeout ?? defaults.answerTimeout,
      knowsTasks: () => settings.tasks !== false && links.agreed()?.era === "native",
      closed: links.closed
    }
    const requests = new Requests(server, links, deadlines, rounds, farewells)
    const lists = new Lists(links, requests, cache)
    const plans = planOf(settings)
    const calls = new ToolCalls({ links, requests, lists, planOf: plans, trusted: settings.trusted === true })
    const { agreed } = yield* links.get
    const setLogLevel = (level: LogLevel): void => void (logLevel = level)
    return new LiveSession({
      links,
      requests,
      lists,
      cache,
      watch,
      calls,
      counters,
      planOf: plans,
      agreed,
      setLogLevel
    })
  })

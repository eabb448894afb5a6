/**
 * What may be set when a session is opened. Every setting has a default; times are in milliseconds, sizes in bytes.
 */
import type { ProtocolVersion } from "@treadle/protocol/era"
import { isRecord, namesOf, unknownNames, type JsonObject } from "@treadle/protocol/json"
import { defaultNesting } from "@treadle/protocol/rpc"
import type { Implementation, LogMessage } from "@treadle/protocol/schema"
import type { Answers } from "./Answers.ts"
import type { CacheSettings } from "./CacheStore.ts"
import type { HeaderRecord } from "./HeaderRecord.ts"
import type { TokenProvider } from "./TokenProvider.ts"

/** When an idle compat session is pinged. */
export interface PingSettings {
  /** How long a session is idle before it is pinged, 30 s by default. */
  readonly interval?: number
  /** How long an answer may take, 10 s by default. */
  readonly timeout?: number
  /** How many answers in a row may be missing before the session counts as lost, 3 by default. */
  readonly misses?: number
}

/** Settings of every session. */
export interface ClientSettings {
  /** Who is calling, as the server is told (META-03). `@treadle/client` and its version by default. */
  readonly client?: Implementation
  /**
   * What the client answers when a server asks; it declares what it has an answer for, and nothing else. Nothing by
   * default.
   */
  readonly answers?: Answers
  /** Extensions that the client knows, by id, with their settings (VER-04). */
  readonly extensions?: { readonly [id: string]: JsonObject }
  /**
   * Whether a native server may make a task of a call, whose result is then waited for; calls look the same either way.
   * `true` by default.
   */
  readonly tasks?: boolean
  /**
   * The only revision to speak, such as `2025-11-25`. By default the newest that both sides know, which is found out and
   * remembered per server for a day.
   */
  readonly revision?: ProtocolVersion
  /** How long a request may take, 60 s by default. `Infinity` for no limit. */
  readonly timeout?: number
  /** How long a request may take at most, whatever progress it reports: 10 minutes by default. */
  readonly maxTotalTimeout?: number
  /** How long the server may take to say what it speaks, 5 s by default. On a pipe an old server says nothing. */
  readonly probeTimeout?: number
  /** How long opening may take in all, the probe included: 10 s by default. */
  readonly connectTimeout?: number
  /** How often a server may ask during one request, 16 times by default. */
  readonly maxRounds?: number
  /**
   * How long all answers of one request may take, 10 minutes by default; in the compat era each of them. This is no time
   * of the request.
   */
  readonly answerTimeout?: number
  /** Compat: when an idle session is pinged; `false` for never. Natively three intervals of silence end a subscription. */
  readonly ping?: PingSettings | false
  /** How answers are kept that the server calls fresh: in memory by default; `false` for not at all. */
  readonly cache?: CacheSettings | false
  /**
   * Whether this server's own annotations are believed, so that a call of a tool that it marks as read-only or idempotent
   * may be sent twice after a loss. Not by default; the hints of your own contract always count.
   */
  readonly trusted?: boolean
  /** The most levels of lists and objects that a message of the server may have, 512 by default; a deeper one is not read. */
  readonly nestingLimit?: number
  /** Told of every log message, whichever request it belongs to; see `session.setLogLevel`. */
  readonly onLog?: (message: LogMessage) => void
  /**
   * Told about everything that a server sends and that is no message for this client: log lines on its output, events
   * that cannot be read, answers that nobody waits for. The session goes on.
   */
  readonly onNoise?: OnNoise
}

/** Sends one HTTP request. The global `fetch` fits, and so does a server's own fetch door, without a socket. */
export type SendRequest = (request: Request) => Promise<Response>

/** Settings of a session over HTTP. */
export interface HttpSettings extends ClientSettings {
  /** The global `fetch` by default; that of Node gives up by itself after five minutes in which nothing came. */
  readonly fetch?: SendRequest
  /** Sent with every request; a function is asked each time. The headers of MCP itself cannot be replaced. */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>)
  /**
   * What authorizes the requests, such as `OAuth.browser({ … })` of `@treadle/oauth`. It is not asked where `headers` has
   * an `Authorization` of its own.
   */
  readonly auth?: TokenProvider
  /** The largest body, or event of a stream, that is read: 64 MiB by default. */
  readonly bodyLimit?: number
}

/** Settings of a session over a pipe. */
export interface PipeSettings extends ClientSettings {
  /** What messages of errors call the server; `the pipe` by default. */
  readonly name?: string
  /** The longest line that is read: 64 MiB by default. */
  readonly lineLimit?: number
  /** Asked when the peer has closed the pipe: what to say to those who still wait; that it was closed, by default. */
  readonly whyEnded?: () => string
}

/** The defaults of the settings above. */
export const defaults = {
  client: { name: "@treadle/client", version: "0.1.0" } satisfies Implementation,
  timeout: 60_000,
  maxTotalTimeout: 600_000,
  probeTimeout: 5_000,
  connectTimeout: 10_000,
  maxRounds: 16,
  answerTimeout: 600_000,
  ping: { interval: 30_000, timeout: 10_000, misses: 3 } satisfies PingSettings,
  nestingLimit: defaultNesting,
  bodyLimit: 64 * 1024 * 1024,
  lineLimit: 64 * 1024 * 1024
}

const settingNames = namesOf<ClientSettings>({
  client: true,
  answers: true,
  extensions: true,
  tasks: true,
  revision: true,
  timeout: true,
  maxTotalTimeout: true,
  probeTimeout: true,
  connectTimeout: true,
  maxRounds: true,
  answerTimeout: true,
  ping: true,
  cache: true,
  trusted: true,
  nestingLimit: true,
  onLog: true,
  onNoise: true
})

const partNames = {
  ping: namesOf<PingSettings>({ interval: true, timeout: true, misses: true }),
  cache: namesOf<CacheSettings>({ store: true, context: true }),
  answers: namesOf<Answers>({ form: true, url: true, sampling: true, samplingParts: true, roots: true })
}

/** The settings of each way to open a session beside those of all; `signal` is that of promises. */
export const ownNames = {
  http: namesOf<Omit<HttpSettings, keyof ClientSettings> & { readonly signal: AbortSignal }>({
    fetch: true,
    headers: true,
    auth: true,
    bodyLimit: true,
    signal: true
  }),
  pipe: namesOf<Omit<PipeSettings, keyof ClientSettings>>({ name: true, lineLimit: true, whyEnded: true }),
  direct: ["signal"]
}

/** What was set that nothing reads, as plain JavaScript may. @param own names beside those of every session */
export const unknownSetting = (settings: ClientSettings, own: ReadonlyArray<string>): string | undefined => {
  const unknown = [
    ...unknownNames(settings, [...settingNames, ...own]),
    ...Object.entries(partNames).flatMap(([part, names]) => {
      const given: unknown = settings[part as keyof typeof partNames]
      return isRecord(given)
        ? unknownNames(given, names).map(({ name, why }) => ({ name: `${part}.${name}`, why }))
        : []
    })
  ]
  return unknown.length === 0 ? undefined : unknown.map(({ name, why }) => `${name}: ${why}`).join("; ")
}

/** Tells about what is no message. */
export type OnNoise = (text: string, why: string) => void

/** A hook of the settings; what it throws goes no further, because it would break the reading of messages. */
export const guarded =
  <A extends ReadonlyArray<unknown>>(hook: ((...facts: A) => void) | undefined): ((...facts: A) => void) =>
  (...facts) => {
    try {
      hook?.(...facts)
    } catch {
      return
    }
  }

export const noiseHook = (settings: ClientSettings): OnNoise => guarded(settings.onNoise)

export const logHook = (settings: ClientSettings): ((message: LogMessage) => void) => guarded(settings.onLog)

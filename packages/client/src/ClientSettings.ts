/**
 * What may be set when a session is opened. Every setting has a default; times are in milliseconds, sizes in bytes.
 */
import type { Implementation } from "@treadle/protocol/schema"

/** Settings of every session. */
export interface ClientSettings {
  /** Who is calling, as the server is told (META-03). `@treadle/client` and its version by default. */
  readonly client?: Implementation
  /** How long a request may take, 60 s by default. `Infinity` for no limit. */
  readonly timeout?: number
  /** How long the server may take to say what it speaks, 5 s by default. */
  readonly probeTimeout?: number
  /**
   * Told about everything that a server sends and that is no message for this client: log lines on its output, events
   * that cannot be read, answers that nobody waits for. The session goes on.
   */
  readonly onNoise?: OnNoise
}

/** Sends one HTTP request. The global `fetch` fits, and so does a server's own fetch door, without a socket. */
export type SendRequest = (request: Request) => Promise<Response>

/** Headers by name. */
export interface HeaderRecord {
  readonly [name: string]: string
}

/** Settings of a session over HTTP. */
export interface HttpSettings extends ClientSettings {
  /** The global `fetch` by default; that of Node gives up by itself after five minutes in which nothing came. */
  readonly fetch?: SendRequest
  /** Sent with every request; a function is asked each time. The headers of MCP itself cannot be replaced. */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>)
  /** The largest body, or event of a stream, that is read: 16 MiB by default. */
  readonly bodyLimit?: number
}

/** Settings of a session over a pipe. */
export interface PipeSettings extends ClientSettings {
  /** What messages of errors call the server; `the pipe` by default. */
  readonly name?: string
  /** The longest line that is read: 16 MiB by default. */
  readonly lineLimit?: number
  /** Asked when the peer has closed the pipe: what to say to those who still wait. */
  readonly whyEnded?: () => string
}

/** The defaults of the settings above. */
export const defaults = {
  client: { name: "@treadle/client", version: "0.1.0" } satisfies Implementation,
  timeout: 60_000,
  probeTimeout: 5_000,
  bodyLimit: 16 * 1024 * 1024,
  lineLimit: 16 * 1024 * 1024
}

/** Tells about what is no message. */
export type OnNoise = (text: string, why: string) => void

/** The noise hook of the settings; what it throws goes no further, because it would break the reading of messages. */
export const noiseHook = (settings: ClientSettings): OnNoise => {
  const hook = settings.onNoise
  if (hook === undefined) return () => {}
  return (text, why) => {
    try {
      hook(text, why)
    } catch {
      return
    }
  }
}

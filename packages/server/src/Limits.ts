/**
 * Every limit and default of a served thing, in one place. Sizes in bytes, times in milliseconds.
 *
 * All are finite. Numbers and sizes are whole; `bodyBytes`, `lineBytes`, `nesting`, `taskTtl`, `pageSize`,
 * `sessionIdle`, `keepAlive` and `askTimeout` are above 0, the others may be 0; `nesting` is 1,000 at most. A door that
 * is given anything else is not made.
 */
import { defaultNesting } from "@treadle/protocol/rpc"

/** The limits of a served thing. */
export interface Limits {
  /** The largest HTTP body; a larger one is answered 413. */
  readonly bodyBytes: number
  /** The longest line on a pipe; a longer one is answered -32600 and skipped. */
  readonly lineBytes: number
  /** Levels of lists and objects that a message, or the body of a route, may have; a deeper one is answered -32600. */
  readonly nesting: number
  /** Calls that one pipe, principal or remote address may have running; one more is answered 429, on a pipe -32603. */
  readonly runningCalls: number
  /**
   * Listen requests that one pipe, principal or remote address may have open; one more is answered like a call too many.
   * Also the streams of one compat session: one more ends the oldest of them.
   */
  readonly listeners: number
  /** Resources, and tasks, that one listen request may name, and resources that one compat session may. */
  readonly subscribedUris: number
  /** Characters of each of them. */
  readonly uriLength: number
  /** Compat sessions at a time; one more ends the longest idle, and is answered 503 where none is idle. */
  readonly sessions: number
  /** How long a compat session may go unused before it ends; one with a running call is in use. */
  readonly sessionIdle: number
  /** Characters of events that a compat session keeps for a client that lost a connection; the oldest go first. */
  readonly keptEvents: number
  /** Tasks that are kept at a time, finished ones included; with 0 there are none, and every call is an ordinary one. */
  readonly tasks: number
  /**
   * Those of one pipe, principal or remote address. Where there is no room for one more, a call that may be an ordinary
   * one is, and a tool that needs tasks is answered 429, on a pipe -32603.
   */
  readonly callerTasks: number
  /** How long a task is kept, from its creation, where its tool does not say less. */
  readonly taskTtl: number
  /** Entries on one page of a list; a longer list has several, each with a cursor to the next. */
  readonly pageSize: number
  /** What a slow reader may leave unread before what it asked to hear is dropped. */
  readonly unreadBytes: number
  /** After how long a call that has not answered turns to an event stream, where the client takes one. */
  readonly streamAfter: number
  /** How often an open event stream gets a comment, so that no intermediary closes it; some close after ten seconds. */
  readonly keepAlive: number
  /** How long a client may take to answer a question of a handler. */
  readonly askTimeout: number
  /** How long running calls may go on after the end of standard input. */
  readonly drain: number
  /** How long running calls may go on after a door was told to close. */
  readonly grace: number
}

/** The defaults, and limits that differ from them in places. */
export const Limits = {
  defaults: {
    bodyBytes: 4 * 1024 * 1024,
    lineBytes: 16 * 1024 * 1024,
    nesting: defaultNesting,
    runningCalls: 64,
    listeners: 16,
    subscribedUris: 256,
    uriLength: 8_192,
    sessions: 1_000,
    sessionIdle: 30 * 60_000,
    keptEvents: 256 * 1024,
    tasks: 1_000,
    callerTasks: 64,
    taskTtl: 60 * 60_000,
    pageSize: 200,
    unreadBytes: 1024 * 1024,
    streamAfter: 2_000,
    keepAlive: 8_000,
    askTimeout: 10 * 60_000,
    drain: 3_000,
    grace: 5_000
  } satisfies Limits,
  /** The defaults with some of them changed; what is given as `undefined` stays as it is, and is not without a limit. */
  of: (changed: Partial<Limits> = {}): Limits => ({
    ...Limits.defaults,
    ...Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
  })
}

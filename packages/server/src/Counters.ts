/**
 * What a served thing has under way, in numbers.
 */

/** All of it is zero once the served thing has stopped, except `dropped`, which only grows. */
export interface Counters {
  /** Calls whose handlers run. */
  readonly calls: number
  /** Listen requests that are open: natively, changes are heard on them. */
  readonly listeners: number
  /** Streams that clients of the compat era opened with GET: to hear of changes, or to hear anything at all. */
  readonly streams: number
  /** Compat sessions that are open. */
  readonly sessions: number
  /** Tasks that are kept: those that run, and those whose results can still be asked for. */
  readonly tasks: number
  /** Questions that clients of sessions have not answered yet; natively none is kept. */
  readonly asks: number
  /**
   * Messages that wait: changes that are gathered before they are told, changes for sessions without a stream, and
   * messages whose handlers are held back by a client that reads too slowly.
   */
  readonly queued: number
  /** Messages that were dropped since the start, because a client could not take them or read too slowly. */
  readonly dropped: number
}

/**
 * @example
 * ```ts
 * import { Counters } from "@treadle/server"
 *
 * Counters.none.calls // => 0
 * ```
 */
export const Counters = {
  /** Of what is not served yet. */
  none: {
    calls: 0,
    listeners: 0,
    streams: 0,
    sessions: 0,
    tasks: 0,
    asks: 0,
    queued: 0,
    dropped: 0
  } satisfies Counters as Counters
}

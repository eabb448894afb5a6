/**
 * Answers that leave together: what is written in one turn of the event loop goes out at its end, so that the cost of
 * waking the network is paid once a turn.
 */

/** What waits to be written. */
export interface Outgoing {
  /** Writes it, now that the turn ends. */
  readonly leave: () => void
}

/** @param schedule runs a function at the end of the turn, such as `setImmediate` */
export const makeOutbox = (schedule: (flush: () => void) => void) => {
  let waiting: Array<Outgoing> = []
  const flush = () => {
    const batch = waiting
    waiting = []
    for (const outgoing of batch) outgoing.leave()
  }
  return {
    add: (outgoing: Outgoing): void => {
      if (waiting.push(outgoing) === 1) schedule(flush)
    },
    flush
  }
}

export type Outbox = ReturnType<typeof makeOutbox>

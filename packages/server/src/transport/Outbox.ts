/**
 * Answers that leave together: what is written in one turn of the event loop goes out at its end, so that the cost of
 * waking the network is paid once a turn.
 */

/** @param schedule runs a function at the end of the turn, such as `setImmediate` */
export const makeOutbox = (schedule: (flush: () => void) => void) => {
  let waiting: Array<() => void> = []
  const flush = () => {
    const batch = waiting
    waiting = []
    for (const write of batch) write()
  }
  return {
    add: (write: () => void): void => {
      if (waiting.push(write) === 1) schedule(flush)
    },
    flush
  }
}

export type Outbox = ReturnType<typeof makeOutbox>

/**
 * What the calls of one served thing count as they go.
 */
export class Tally {
  /** Messages that were left out. */
  dropped = 0
  /** Messages behind which a handler waits until its client has read. */
  held = 0
}

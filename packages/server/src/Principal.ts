/**
 * Who is calling, as something verified said so. What a client says of itself never makes a principal.
 */

/** The verified caller. */
export interface Principal {
  /** Stable and unique among the callers of a server. */
  readonly id: string
  /** What vouches for it: the context that the embedding application passed to the door. */
  readonly via: "context"
}

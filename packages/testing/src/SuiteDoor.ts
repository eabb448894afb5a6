/**
 * A transport as the suite sees it, and one case of the suite.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RawPeer } from "./RawPeer.ts"

/** A server that serves the fixture tools. */
export interface SuiteServer {
  /** One more client. */
  readonly peer: Effect.Effect<RawPeer, never, Scope.Scope>
  /** Opens a gate of the fixture tools. */
  readonly open: (gate: string) => Effect.Effect<void>
  /** All that was logged. */
  readonly logs: () => string
  /** Stops serving; completes when it has stopped. */
  readonly stop: Effect.Effect<void>
}

/** What a transport may lack. */
export type SuiteTrait =
  | "notifications"
  | "inbound"
  | "clients"
  | "limit"
  | "stop"
  | "defects"
  | "discover"
  | "live"
  | "listen"

/** A transport under test. */
export interface SuiteDoor {
  readonly name: string
  readonly start: Effect.Effect<SuiteServer, never, Scope.Scope>
  /** What it cannot show, with the reason. */
  readonly without?: { readonly [T in SuiteTrait]?: string }
}

/** One behaviour. */
export interface SuiteCase {
  readonly name: string
  readonly needs?: SuiteTrait
  readonly run: (server: SuiteServer) => Effect.Effect<void, never, Scope.Scope>
}

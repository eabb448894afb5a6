/**
 * The sessions of the compat era: opened by a handshake, looked up by id or by pipe, ended by their client, by their
 * idleness, or by a newer one when there are too many.
 *
 * Nothing wakes up for them: what has expired is found when a session is looked up, opened or counted.
 */
import { revisionOf, type Revision } from "@treadle/protocol/era"
import type { ClientCapabilities } from "@treadle/protocol/schema"
import type { Inbound } from "../../envelope/Inbound.ts"
import { isOnPipe, revisionPresented, sessionPresented } from "../../envelope/Presented.ts"
import type { Opening, SessionFacts, SessionLookup } from "../../envelope/SessionFacts.ts"
import type { Limits } from "../../Limits.ts"
import type { EventLog } from "./EventLog.ts"
import type { Hub } from "../offer/Hub.ts"
import { Session } from "./Session.ts"

/** Whether HTTP requests of the compat era belong to sessions, or each stands alone. */
export type SessionMode = "on" | "off"

export interface SessionParts {
  readonly limits: Limits
  readonly mode: SessionMode
  readonly now: () => number
  /** Whether an owner has anything running: such a session is not idle. */
  readonly running: (owner: string) => boolean
  /** Ends the calls of an owner. */
  readonly hangUp: (owner: string) => void
  readonly hub: Hub
}

const noCapabilities: ClientCapabilities = {}

/** The facts of a request that stands alone, of the revision that it names (CHTTP-21). */
const alone = (inbound: Inbound): SessionFacts => {
  const named = revisionPresented(inbound)
  const revision = named?.era === "compat" ? named : revisionOf("2025-03-26")
  return {
    id: "",
    standsAlone: true,
    revision: revision as Revision,
    clientCapabilities: noCapabilities,
    principal: inbound.principal?.id,
    owner: inbound.owner,
    logLevel: undefined,
    used: 0,
    subscribe: () => undefined,
    unsubscribe: () => {},
    attach: () => () => {}
  }
}

export class CompatSessions {
  readonly #parts: SessionParts
  readonly #byId = new Map<string, Session>()
  readonly #byPipe = new Map<string, Session>()
  /** What takes each session from the hub. */
  readonly #leaving = new Map<Session, () => void>()

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  get size(): number {
    this.#endExpired(this.#parts.now())
    return this.#byId.size + this.#byPipe.size
  }

  /** How many changes sessions without a stream are still to hear of. */
  get waiting(): number {
    return this.#all().reduce((sum, session) => sum + session.waiting, 0)
  }

  /** Opens a session, or says that there is no room: then every one of them has a call running. */
  open(opening: Opening): SessionFacts | undefined {
    const { inbound } = opening
    const now = this.#parts.now()
    if (isOnPipe(inbound)) {
      const session = new Session("", inbound.owner, opening, now, this.#parts.limits.keptEvents)
      this.forget(inbound.owner)
      this.#byPipe.set(inbound.owner, session)
      return this.#listen(session)
    }
    if (this.#parts.mode === "off") return { ...alone(inbound), revision: opening.revision }
    this.#endExpired(now)
    if (this.#byId.size >= this.#parts.limits.sessions && !this.#makeRoom()) return undefined
    const id = globalThis.crypto.randomUUID()
    const session = new Session(id, `session:${id}`, opening, now, this.#parts.limits.keptEvents)
    this.#byId.set(id, session)
    return this.#listen(session)
  }

  /** The session of a request. */
  readonly find = (inbound: Inbound): SessionLookup => {
    if (isOnPipe(inbound)) return this.#byPipe.get(inbound.owner) ?? "not-named"
    if (this.#parts.mode === "off") return alone(inbound)
    const id = sessionPresented(inbound)
    if (id === undefined) return "not-named"
    const session = this.#byId.get(id)
    const now = this.#parts.now()
    if (session === undefined || session.principal !== inbound.principal?.id) return "unknown"
    if (this.#isExpired(session, now)) {
      this.end(session)
      return "unknown"
    }
    session.used = now
    return session
  }

  /** What a session was sent on its streams; a pipe has none. */
  readonly logOf = ({ id }: SessionFacts): EventLog | undefined => this.#byId.get(id)?.log

  /** Ends a session and its calls. */
  end({ id, owner }: SessionFacts): void {
    const session = this.#byId.get(id)
    this.#byId.delete(id)
    if (session !== undefined) this.#leave(session)
    this.#parts.hangUp(owner)
  }

  /** Ends every session. */
  clear(): void {
    for (const session of this.#all()) this.#leave(session)
    this.#byId.clear()
    this.#byPipe.clear()
  }

  /** A pipe has gone. */
  forget(owner: string): void {
    const session = this.#byPipe.get(owner)
    this.#byPipe.delete(owner)
    if (session !== undefined) this.#leave(session)
  }

  #all(): ReadonlyArray<Session> {
    return [...this.#byId.values(), ...this.#byPipe.values()]
  }

  #listen(session: Session): Session {
    this.#leaving.set(session, this.#parts.hub.add(session))
    return session
  }

  #leave(session: Session): void {
    this.#leaving.get(session)?.()
    this.#leaving.delete(session)
  }

  #isExpired(session: Session, now: number): boolean {
    return now - session.used > this.#parts.limits.sessionIdle && !this.#parts.running(session.owner)
  }

  #endExpired(now: number): void {
    for (const session of this.#byId.values()) if (this.#isExpired(session, now)) this.end(session)
  }

  /** Ends the longest idle of those without a running call. */
  #makeRoom(): boolean {
    const idle = [...this.#byId.values()].filter((session) => !this.#parts.running(session.owner))
    const oldest = idle.reduce<Session | undefined>(
      (found, session) => (found === undefined || session.used < found.used ? session : found),
      undefined
    )
    if (oldest !== undefined) this.end(oldest)
    return oldest !== undefined
  }
}

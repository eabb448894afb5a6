/**
 * The sessions of the compat era: opened by a handshake, looked up by id or by pipe, ended by their client, by their
 * idleness, or by a newer one when there are too many (D12).
 *
 * Nothing wakes up for them: what has expired is found when a session is looked up, opened or counted.
 */
import { revisionOf, type Revision } from "@treadle/protocol/era"
import { HeaderName, trimHeaderValue } from "@treadle/protocol/http"
import type { ClientCapabilities, LogLevel } from "@treadle/protocol/schema"
import type { Inbound } from "../../envelope/Inbound.ts"
import type { SessionFacts, SessionLookup, Subscribed } from "../../envelope/SessionFacts.ts"
import type { Change } from "../../Change.ts"
import type { Limits } from "../../Limits.ts"
import { EventLog } from "./EventLog.ts"
import { changeKey, printChange, type Hub } from "../offer/Hub.ts"

class Session implements SessionFacts {
  readonly id: string
  readonly revision: Revision
  readonly clientCapabilities: ClientCapabilities
  readonly principal: string | undefined
  readonly owner: string
  logLevel: LogLevel | undefined = undefined
  used: number
  readonly log: EventLog
  /** The resources whose changes it wants to hear of. */
  readonly #uris = new Set<string>()
  /** Where it can be told something: the streams that are open, the newest last. */
  readonly #outlets = new Set<(text: string) => void>()
  /** What changed while no stream was open. */
  readonly #missed = new Map<string, Change>()

  constructor(id: string, owner: string, opening: Opening, used: number, keptEvents: number) {
    this.id = id
    this.owner = owner
    this.revision = opening.revision
    this.clientCapabilities = opening.revision.able(opening.clientCapabilities)
    this.principal = opening.inbound.principal?.id
    this.used = used
    this.log = new EventLog(keptEvents)
  }

  /** How many changes it is still to hear of. */
  get waiting(): number {
    return this.#missed.size
  }

  subscribe(uri: string, most: number): Subscribed {
    if (!this.#uris.has(uri) && this.#uris.size >= most) return "too-many"
    this.#uris.add(uri)
    return "kept"
  }

  unsubscribe(uri: string): void {
    this.#uris.delete(uri)
  }

  readonly hears = (change: Change): boolean => change._tag !== "resource" || this.#uris.has(change.uri)

  /** Tells it on one of its streams (CHTTP-10), or when the next one opens. */
  readonly tell = (change: Change): void => {
    const outlet = [...this.#outlets].at(-1)
    if (outlet !== undefined) return outlet(printChange(change))
    if (this.#missed.size < keptChanges) this.#missed.set(changeKey(change), change)
  }

  readonly attach = (outlet: (text: string) => void): (() => void) => {
    this.#outlets.add(outlet)
    for (const change of this.#missed.values()) outlet(printChange(change))
    this.#missed.clear()
    return () => {
      this.#outlets.delete(outlet)
    }
  }
}

/** How many changes a session without a stream remembers. */
const keptChanges = 64

/** What a handshake said. */
export interface Opening {
  readonly inbound: Inbound
  readonly revision: Revision
  readonly clientCapabilities: ClientCapabilities
}

/** Whether HTTP requests of the compat era belong to sessions, or each stands alone. */
export type SessionMode = "on" | "off"

export interface SessionParts {
  readonly limits: Limits
  readonly mode: SessionMode
  readonly now: () => number
  /** How many calls an owner has running: such a session is not idle. */
  readonly running: (owner: string) => number
  /** Ends the calls of an owner. */
  readonly hangUp: (owner: string) => void
  readonly hub: Hub
}

const noCapabilities: ClientCapabilities = {}

/** The revision of a request that stands alone, by its header (CHTTP-21). */
const alone = ({ http, owner, principal }: Inbound): SessionFacts => {
  const named = revisionOf(trimHeaderValue(http?.header(HeaderName.version) ?? ""))
  const revision = named?.era === "compat" ? named : revisionOf("2025-03-26")
  return {
    id: "",
    revision: revision as Revision,
    clientCapabilities: noCapabilities,
    principal: principal?.id,
    owner,
    logLevel: undefined,
    used: 0,
    subscribe: () => "stands-alone",
    unsubscribe: () => {},
    attach: () => () => {}
  }
}

export class CompatSessions {
  readonly #parts: SessionParts
  readonly #byId = new Map<string, Session>()
  readonly #byPipe = new Map<string, Session>()
  readonly #leave = new Map<Session, () => void>()

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
    if (inbound.http === undefined) {
      const session = new Session("", inbound.owner, opening, now, this.#parts.limits.keptEvents)
      this.forget(inbound.owner)
      this.#byPipe.set(inbound.owner, session)
      return this.#heard(session)
    }
    if (this.#parts.mode === "off") return { ...alone(inbound), revision: opening.revision }
    this.#endExpired(now)
    if (this.#byId.size >= this.#parts.limits.sessions && !this.#makeRoom()) return undefined
    const id = globalThis.crypto.randomUUID()
    const session = new Session(id, `session:${id}`, opening, now, this.#parts.limits.keptEvents)
    this.#byId.set(id, session)
    return this.#heard(session)
  }

  /** The session of a request. */
  readonly find = (inbound: Inbound): SessionLookup => {
    if (inbound.http === undefined) return this.#byPipe.get(inbound.owner) ?? "not-named"
    if (this.#parts.mode === "off") return alone(inbound)
    const id = inbound.http.header(HeaderName.session)
    if (id === undefined) return "not-named"
    const session = this.#byId.get(trimHeaderValue(id))
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
    if (session !== undefined) this.#unheard(session)
    this.#parts.hangUp(owner)
  }

  /** Ends every session. */
  clear(): void {
    for (const session of this.#all()) this.#unheard(session)
    this.#byId.clear()
    this.#byPipe.clear()
  }

  /** A pipe has gone. */
  forget(owner: string): void {
    const session = this.#byPipe.get(owner)
    this.#byPipe.delete(owner)
    if (session !== undefined) this.#unheard(session)
  }

  #all(): ReadonlyArray<Session> {
    return [...this.#byId.values(), ...this.#byPipe.values()]
  }

  #heard(session: Session): Session {
    this.#leave.set(session, this.#parts.hub.add(session))
    return session
  }

  #unheard(session: Session): void {
    this.#leave.get(session)?.()
    this.#leave.delete(session)
  }

  #isExpired(session: Session, now: number): boolean {
    return now - session.used > this.#parts.limits.sessionIdle && this.#parts.running(session.owner) === 0
  }

  #endExpired(now: number): void {
    for (const session of this.#byId.values()) if (this.#isExpired(session, now)) this.end(session)
  }

  /** Ends the longest idle of those without a running call. */
  #makeRoom(): boolean {
    const idle = [...this.#byId.values()].filter((session) => this.#parts.running(session.owner) === 0)
    const oldest = idle.reduce<Session | undefined>(
      (found, session) => (found === undefined || session.used < found.used ? session : found),
      undefined
    )
    if (oldest !== undefined) this.end(oldest)
    return oldest !== undefined
  }
}

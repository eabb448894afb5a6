/**
 * One session of the compat era: what its handshake settled, what it wants to hear of, and what it is still to hear.
 */
import type { Revision } from "@treadle/protocol/era"
import type { ClientCapabilities, LogLevel } from "@treadle/protocol/schema"
import type { Opening, Outlet, SessionFacts } from "../../envelope/SessionFacts.ts"
import { uriKey } from "../../handler/ResourceUri.ts"
import { asNamed, changeKey, printChange, type Told } from "../offer/Hub.ts"
import { EventLog } from "./EventLog.ts"

export class Session implements SessionFacts {
  readonly id: string
  readonly standsAlone = false
  readonly revision: Revision
  readonly clientCapabilities: ClientCapabilities
  readonly principal: string | undefined
  readonly owner: string
  logLevel: LogLevel | undefined = undefined
  used: number
  readonly log: EventLog
  /** The resources whose changes it wants to hear of, as it wrote them. */
  readonly #uris = new Map<string, string>()
  /** Where it can be told something: the streams that are open, the newest last. */
  readonly #outlets = new Set<Outlet>()
  /** What changed while no stream could tell: each list once, and each resource that it wants to hear of. */
  readonly #missed = new Map<string, Told>()

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

  subscribe(uri: string, most: number): (() => void) | undefined {
    const key = uriKey(uri)
    const known = this.#uris.has(key)
    if (!known && this.#uris.size >= most) return undefined
    this.#uris.set(key, uri)
    return known ? () => {} : () => this.unsubscribe(uri)
  }

  unsubscribe(uri: string): void {
    this.#uris.delete(uriKey(uri))
    this.#missed.delete(changeKey({ _tag: "resource", uri }))
  }

  /** Tasks are of the native era only. */
  readonly hears = (change: Told): boolean =>
    change._tag === "resource" ? this.#uris.has(uriKey(change.uri)) : change._tag !== "task"

  /** Tells it on one of its streams (CHTTP-10), or when the next one opens or has room. */
  readonly tell = (change: Told): void => {
    const own = asNamed(change, this.#uris)
    if (change._tag === "resource" && change.last === true) this.#uris.delete(uriKey(change.uri))
    this.#missed.set(changeKey(own), own)
    this.#flush()
  }

  readonly attach = (outlet: Outlet): (() => void) => {
    this.#outlets.add(outlet)
    this.#flush()
    return () => {
      this.#outlets.delete(outlet)
    }
  }

  #flush(): void {
    const outlet = [...this.#outlets].at(-1)
    if (outlet === undefined) return
    if (outlet.full()) return outlet.onRoom(() => this.#flush())
    for (const change of this.#missed.values()) outlet.tell(printChange(change))
    this.#missed.clear()
  }
}

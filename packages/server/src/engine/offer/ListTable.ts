/**
 * The entries of one list of a served thing: found by key, seen by whom they are for. Tools, resources, templates and
 * prompts each have one.
 */
import type * as Context from "effect/Context"

/** What every listed handler has. */
export interface Listed {
  /** The entry as the list shows it, printed. */
  readonly listing: string
  /** Whether a caller sees the entry and may use it; everybody, where absent. */
  readonly visible: ((context: never) => boolean) | undefined
  /** The scopes that a caller needs over HTTP to use it; none, where absent. */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** Keeps what was made for an entry, until nobody needs it any more. */
export interface Lease {
  readonly retain: () => void
  readonly release: () => void
}

/** A handler with the services that it needs. */
export interface ServedEntry<H> {
  readonly handler: H
  readonly services: Context.Context<never>
  /** What keeps those of the services that were made for it; a call holds it while it runs. */
  readonly lease?: Lease | undefined
}

/** The entries that one caller sees. */
export interface View<H> {
  /** The same for everybody who sees the same entries of the same version of the list. */
  readonly id: string
  /** How often the list was replaced. */
  readonly version: number
  /** In the order of definition. */
  readonly handlers: () => ReadonlyArray<H>
  /** Whether another caller may see another list. */
  readonly restricted: boolean
}

const isVisible = ({ visible }: Listed, context: unknown): boolean =>
  visible === undefined || Boolean(visible(context as never))

export class ListTable<H extends Listed> {
  readonly #keyOf: (handler: H) => string
  #entries: ReadonlyMap<string, ServedEntry<H>> = new Map()
  #guarded: ReadonlyArray<H> = []
  #scoped = false
  #version = 0

  /** @param keyOf what entries are found by */
  constructor(keyOf: (handler: H) => string, entries: ReadonlyArray<ServedEntry<H>>) {
    this.#keyOf = keyOf
    this.replace(entries)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Whether any entry needs scopes. */
  get scoped(): boolean {
    return this.#scoped
  }

  /** The entries in the order of definition, whoever sees them. */
  get all(): ReadonlyArray<ServedEntry<H>> {
    return [...this.#entries.values()]
  }

  /** Puts other entries in the place of all that there are. Views of before are of an older list. */
  replace(entries: ReadonlyArray<ServedEntry<H>>): void {
    this.#entries = new Map(entries.map((entry) => [this.#keyOf(entry.handler), entry]))
    this.#guarded = entries.flatMap(({ handler }) => (handler.visible === undefined ? [] : [handler]))
    this.#scoped = entries.some(({ handler }) => handler.scopes !== undefined && handler.scopes.length > 0)
    this.#version++
  }

  /** The entry of this key, whoever sees it. */
  get(key: string): ServedEntry<H> | undefined {
    return this.#entries.get(key)
  }

  /** The entry of this key, where the caller sees it. */
  find(key: string, context: unknown): ServedEntry<H> | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && isVisible(entry.handler, context) ? entry : undefined
  }

  /** The entries that a caller sees, in the order of definition. */
  visible(context: unknown): ReadonlyArray<ServedEntry<H>> {
    return [...this.#entries.values()].filter(({ handler }) => isVisible(handler, context))
  }

  /** The list that a caller sees. */
  view(context: unknown): View<H> {
    const all = () => [...this.#entries.values()].map(({ handler }) => handler)
    const version = this.#version
    if (this.#guarded.length === 0) return { id: String(version), version, handlers: all, restricted: false }
    const hidden = new Set(this.#guarded.filter((handler) => !isVisible(handler, context)))
    const bits = this.#guarded.map((handler) => (hidden.has(handler) ? "0" : "1")).join("")
    return {
      id: `${version}:${bits}`,
      version,
      handlers: () => all().filter((handler) => !hidden.has(handler)),
      restricted: true
    }
  }
}

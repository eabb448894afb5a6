/**
 * Those who watch, and what each has not heard yet. Of equal changes that nobody fetched yet only one is kept, so a
 * listener that never comes costs no more than what it watches.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Change, Watched } from "../../Change.ts"
import type { McpError } from "../../McpError.ts"

/** One thing that is watched: a list, or an address. */
export type Thing = "tools" | "prompts" | "resources" | `uri:${string}`

/** The things of a filter. */
export const thingsOf = ({ prompts, resources, tools, uris = [] }: Watched): ReadonlyArray<Thing> => [
  ...(tools === true ? (["tools"] as const) : []),
  ...(prompts === true ? (["prompts"] as const) : []),
  ...(resources === true ? (["resources"] as const) : []),
  ...new Set(uris.map((uri): Thing => `uri:${uri}`))
]

const tags = { tools: "ToolsChanged", prompts: "PromptsChanged", resources: "ResourcesChanged" } as const

/** The change of a thing. */
export const changeOf = (thing: Thing, missed: boolean): Change =>
  thing === "tools" || thing === "prompts" || thing === "resources"
    ? { _tag: tags[thing], missed }
    : { _tag: "ResourceUpdated", uri: thing.slice(4), missed }

/** Whether a change of one thing concerns another: an address also covers what lies below it (SUB-12). */
export const concerns = (watched: Thing, changed: Thing): boolean =>
  watched === changed ||
  (watched.startsWith("uri:") && changed.startsWith(watched.endsWith("/") ? watched : `${watched}/`))

/**
 * How many changes are kept that were not fetched yet, and how many characters an address below a watched one may have;
 * beyond that only what is watched counts.
 */
const maxPending = 1024
const maxLength = 8192

/** One who watches. */
export class Listener {
  readonly things: ReadonlySet<Thing>
  #pending = new Map<Thing, Change>()
  #end: Effect.Effect<never, McpError | Cause.Done> | undefined
  #wake: (() => void) | undefined

  constructor(things: ReadonlyArray<Thing>) {
    this.things = new Set(things)
  }

  /** Something changed. */
  tell(changed: Thing, missed: boolean): void {
    for (const watched of this.things) {
      if (!concerns(watched, changed)) continue
      const known = this.#pending.get(changed)
      const isTooMuch = known === undefined && (this.#pending.size >= maxPending || changed.length > maxLength)
      if (isTooMuch) this.#pending.set(watched, changeOf(watched, true))
      else if (known === undefined || known.missed) this.#pending.set(changed, changeOf(changed, missed))
      return this.#wake?.()
    }
  }

  /** Nothing more will come. @param end how the stream ends after what it has not given yet */
  end(end: Effect.Effect<never, McpError | Cause.Done>): void {
    this.#end ??= end
    this.#wake?.()
  }

  /** The changes from now on; read by one reader. */
  readonly stream: Stream.Stream<Change, McpError> = Stream.fromPull(
    Effect.sync(() => {
      const pull: Effect.Effect<NonEmptyReadonlyArray<Change>, McpError | Cause.Done> = Effect.suspend(() => {
        const [first, ...rest] = this.#pending.values()
        this.#pending = new Map()
        if (first !== undefined) return Effect.succeed([first, ...rest] as const)
        return this.#end ?? Effect.flatMap(this.#news, () => pull)
      })
      return pull
    })
  )

  readonly #news: Effect.Effect<void> = Effect.callback((resume) => {
    this.#wake = () => {
      this.#wake = undefined
      resume(Effect.void)
    }
  })
}

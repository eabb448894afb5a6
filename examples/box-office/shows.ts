/** The domain: who plays tonight and which seats are free. It knows nothing of MCP. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ShowNotFound, SoldOut, type Show } from "./contract.ts"

export class Shows extends Context.Service<
  Shows,
  {
    readonly list: (search: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<Show>>
    /** Seats that are left in all shows together. */
    readonly left: Effect.Effect<number>
    readonly get: (id: number) => Effect.Effect<Show, ShowNotFound>
    /** Takes seats off sale. */
    readonly hold: (id: number, seats: number) => Effect.Effect<void, ShowNotFound | SoldOut>
    readonly release: (id: number, seats: number) => Effect.Effect<void>
  }
>()("example/Shows") {
  static readonly layer = Layer.sync(Shows, () => {
    const shows = new Map<number, Show>([
      [1, { id: 1, title: "Evening bill", remaining: 12 }],
      [2, { id: 2, title: "Late bill", remaining: 2 }]
    ])
    const get = (id: number) => {
      const show = shows.get(id)
      return show === undefined ? Effect.fail(new ShowNotFound({ id })) : Effect.succeed(show)
    }
    const change = (show: Show, by: number) =>
      Effect.sync(() => {
        shows.set(show.id, { ...show, remaining: show.remaining + by })
      })
    return Shows.of({
      list: (search = "", limit) =>
        Effect.sync(() => [...shows.values()].filter(({ title }) => title.includes(search)).slice(0, limit)),
      left: Effect.sync(() => [...shows.values()].reduce((seats, { remaining }) => seats + remaining, 0)),
      get,
      hold: (id, seats) =>
        Effect.flatMap(get(id), (show) =>
          show.remaining < seats ? Effect.fail(new SoldOut({ id, remaining: show.remaining })) : change(show, -seats)
        ),
      release: (id, seats) => Effect.ignore(Effect.flatMap(get(id), (show) => change(show, seats)))
    })
  })
}

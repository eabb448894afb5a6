/** The service's handlers and its security: nothing here knows of tools. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Bearer, BoxApi, CurrentUser, Show, ShowNotFound, SoldOut, Unauthorized } from "./api.ts"

const bills = [new Show({ id: 1, title: "Early bill", left: 12 }), new Show({ id: 2, title: "Late bill", left: 2 })]

const find = (id: number) => {
  const found = bills.find((show) => show.id === id)
  return found === undefined ? Effect.fail(new ShowNotFound({ id })) : Effect.succeed(found)
}

const Shows = HttpApiBuilder.group(BoxApi, "shows", (handlers) =>
  handlers
    .handle("list", ({ query: { limit = 20, search = "" } }) =>
      Effect.succeed(bills.filter(({ title }) => title.includes(search)).slice(0, limit))
    )
    .handle("get", ({ params }) => find(params.id))
    .handle("book", ({ params, payload: { guests } }) =>
      Effect.flatMap(find(params.id), ({ left }) =>
        guests.length > left
          ? Effect.fail(new SoldOut({ left }))
          : CurrentUser.use(({ name }) => Effect.succeed({ bookedBy: name, guests }))
      )
    )
)

const users: ReadonlyMap<string, string> = new Map([["ada-s-token", "Ada"]])

const Security = Layer.succeed(Bearer, {
  bearer: (handled, { credential }) => {
    const name = users.get(Redacted.value(credential))
    return name === undefined ? Effect.fail(new Unauthorized()) : Effect.provideService(handled, CurrentUser, { name })
  }
})

export const ApiLive = HttpApiBuilder.layer(BoxApi).pipe(Layer.provide(Shows), Layer.provide(Security))

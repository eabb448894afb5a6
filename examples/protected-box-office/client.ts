/** A client whose user logs in with a browser: once to look at the shows, and once more to be allowed to seat guests. */
import { McpNodeClient } from "@treadle/client/node"
import type { OAuthProvider } from "@treadle/oauth"
import * as Effect from "effect/Effect"
import { listShows, seatTheParty } from "../box-office/contract.ts"

export const demonstration = (url: string, auth: OAuthProvider, print: (line: string) => void) =>
  Effect.gen(function* () {
    const session = yield* McpNodeClient.http(url, { auth })

    const shows = yield* session.call(listShows)()
    print(`list_shows        ${shows.map((show) => `${show.id} ${show.title}`).join(", ")}`)

    const { seats } = yield* session.call(seatTheParty)({ id: 1, guests: ["Grace", "Edsger"] })
    print(`seat_the_party    ${seats.join("; ")}`)
  }).pipe(Effect.scoped)

/** The same again: the login is kept, so nobody is asked. */
export const again = (url: string, auth: OAuthProvider, print: (line: string) => void) =>
  Effect.gen(function* () {
    const session = yield* McpNodeClient.http(url, { auth })
    const shows = yield* session.call(listShows)({ search: "Late" })
    print(`second session    ${shows.map((show) => `${show.id} ${show.title}`).join(", ")}`)
    const had = yield* auth.logout(url)
    print(`logged out        ${had ? "the login is forgotten" : "there was no login"}`)
  }).pipe(Effect.scoped)

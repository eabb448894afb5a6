/**
 * The box office for those who are logged in: looking needs one right and seating another one, which the caller is asked
 * for when it is needed.
 */
import { CurrentCall, Mcp, ProtectedResource } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { JwtVerifier } from "@treadle/oauth/verify"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { getShow, listShows, seatTheParty } from "../box-office/contract.ts"
import { Shows } from "../box-office/shows.ts"

/** What tokens may say, and what follows from it. */
export const scopes = {
  required: ["shows:read"],
  supported: ["shows:read", "seats:write"],
  implies: { "seats:all": ["seats:write"] }
}

const seat = Effect.fnUntraced(function* ({
  guests,
  id
}: {
  readonly guests: ReadonlyArray<string>
  readonly id: number
}) {
  const shows = yield* Shows
  yield* Effect.acquireRelease(shows.hold(id, guests.length), (_, exit) =>
    Exit.isSuccess(exit) ? Effect.void : shows.release(id, guests.length)
  )
  const caller = yield* CurrentCall.principal
  const host = caller?.via === "token" ? caller.subject : "nobody"
  return { seats: guests.map((guest, index) => `${guest}: row A, seat ${index + 1}, guest of ${host}`) }
})

export const protectedBoxOffice = Mcp.make({ name: "Protected box office", version: "0.1.0" })
  .tool(listShows, ({ limit, search }) => Shows.use((shows) => shows.list(search, limit)))
  .tool(getShow, ({ id }) => Shows.use((shows) => shows.get(id)))
  .toolWith(seatTheParty, { scopes: ["seats:write"] }, seat)
  .provide(Shows.layer)

/** @param issuer of the authorization server whose tokens are taken */
export const serve = (issuer: string) =>
  McpNode.listen(protectedBoxOffice, {
    auth: ProtectedResource.make({ authorizationServers: [issuer], verifier: JwtVerifier.make({ issuer }), scopes })
  })

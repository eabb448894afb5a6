/**
 * The box office for those who are logged in: looking needs one right and seating another one, which the caller is asked
 * for when it is needed.
 */
import { Mcp, ProtectedResource } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { JwtVerifier } from "@treadle/oauth/verify"
import { getShow, listShows, seatTheParty } from "../box-office/contract.ts"
import { Shows } from "../box-office/shows.ts"
import { seat } from "./seat.ts"

/** What tokens may say, and what follows from it. */
export const scopes = {
  required: ["shows:read"],
  supported: ["shows:read", "seats:write"],
  implies: { "seats:all": ["seats:write"] }
}

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

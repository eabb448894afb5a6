/**
 * Runs an authorization server, a box office that takes its tokens, and a client whose user logs in with the browser of
 * the system. Without one, open the page that is printed. `--once` ends after that.
 */
import { makeMemoryStore } from "@treadle/oauth"
import { NodeOAuth } from "@treadle/oauth/node"
import * as Effect from "effect/Effect"
import { runAuthorization } from "./authorization.ts"
import { again, demonstration } from "./client.ts"
import { scopes, serve } from "./server.ts"

const authorization = await runAuthorization()
const boxOffice = await serve(authorization.issuer)
authorization.serve(boxOffice.url, scopes.supported)
console.log(`Authorization server at ${authorization.issuer}`)
console.log(`Box office serves MCP at ${boxOffice.url}\n`)

const close = () => Promise.all([boxOffice.close(), authorization.close()])

// Kept in memory, because this authorization server forgets everybody when it ends; in encrypted files by default.
const auth = NodeOAuth.browser({ clientName: "Box office desk", store: makeMemoryStore() })
const shown = Effect.andThen(demonstration(boxOffice.url, auth, console.log), again(boxOffice.url, auth, console.log))

await Effect.runPromise(shown).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})

if (process.exitCode === 1 || process.argv.includes("--once")) await close()
else {
  console.log(`\nStill serving ${boxOffice.url}; stop with Ctrl+C.`)
  process.once("SIGINT", () => void close())
  process.once("SIGTERM", () => void close())
}

/** Clients that are authorized: by a person, on their own behalf, and by providers, stores and browsers of your own. */
// #region person
import { connectHttp } from "@treadle/client/node"
import { NodeOAuth } from "@treadle/oauth/node"

export const auth = NodeOAuth.browser({ clientName: "Box office desk" })

export const toolsAt = async (url: string): Promise<ReadonlyArray<string>> => {
  await using client = await connectHttp(url, { auth })
  return (await client.listTools()).map((tool) => tool.name)
}
// #endregion
// #region web
import { connect } from "@treadle/client/promise"
import { OAuth, type Browser } from "@treadle/oauth"

/** @param browser shows a page of the authorization server, and hears of the way back */
export const desk = (url: string, browser: Browser) =>
  connect(url, { auth: OAuth.browser({ clientName: "Box office desk", browser }) })
// #endregion
// #region login
import * as Effect from "effect/Effect"

export const command = (verb: string, url: string): Effect.Effect<string, Error> => {
  switch (verb) {
    case "login":
      return Effect.as(auth.login(url), "You are logged in.")
    case "logout":
      return Effect.map(auth.logout(url), (had) => (had ? "You are logged out." : "You were not logged in."))
    default:
      return Effect.map(auth.isLoggedIn(url), (kept) => (kept ? "logged in" : "not logged in"))
  }
}
// #endregion
// #region machines
import { readFile } from "node:fs/promises"
import * as Redacted from "effect/Redacted"

/** With a secret that the authorization server knows. */
export const bySecret = (secret: string) =>
  NodeOAuth.clientCredentials({
    issuer: "https://login.example",
    clientId: "night-job",
    clientSecret: Redacted.make(secret),
    scopes: ["shows:read"]
  })

/** With a key, of which the authorization server has the public part. */
export const byKey = async (file: string) =>
  NodeOAuth.clientCredentials({
    clientId: "night-job",
    privateKey: Redacted.make(await readFile(file, "utf8")),
    algorithm: "ES256"
  })
// #endregion
// #region vouched
/** The identity provider of an employer vouches for its people, who log in there and nowhere else. */
export const byEmployer = (idToken: () => Promise<string>) =>
  NodeOAuth.enterprise({
    issuer: "https://login.example",
    clientId: "desk",
    clientSecret: process.env["DESK_SECRET"] ?? "",
    identityProvider: {
      issuer: "https://login.employer.example",
      tokenEndpoint: "https://login.employer.example/token",
      clientId: "desk-at-employer",
      clientSecret: process.env["EMPLOYER_SECRET"] ?? ""
    },
    idToken
  })

/** The platform that a workload runs on vouches for it, with a token that it writes to a file. */
export const byPlatform = (file: string) =>
  NodeOAuth.workload({ clientId: "night-job", assertion: () => readFile(file, "utf8") })
// #endregion
// #region store
import { AuthReason, makeMemoryStore, type TokenStore } from "@treadle/oauth"

/** What keeps secrets for you, such as the keychain of the system. */
export interface Keychain {
  readonly get: (key: string) => Promise<string | undefined>
  readonly set: (key: string, value: string) => Promise<void>
  readonly delete: (key: string) => Promise<boolean>
}

/** For one process: where several share a keychain, `exclusive` has to keep those apart too. */
export const keychainStore = (keychain: Keychain): TokenStore => {
  const asked = <A>(ask: () => Promise<A>) =>
    Effect.tryPromise({
      try: ask,
      catch: () => new AuthReason.StoreFailed({ why: "the keychain is locked; unlock it" })
    })
  const read: TokenStore["read"] = (key) =>
    Effect.map(
      asked(() => keychain.get(key)),
      (value) => (value === undefined ? undefined : Redacted.make(value))
    )
  return {
    read,
    write: (key, value) => asked(() => keychain.set(key, Redacted.value(value))),
    remove: (key, expected) =>
      Effect.flatMap(read(key), (kept) => {
        const isOther = kept === undefined || (expected && Redacted.value(expected) !== Redacted.value(kept))
        return isOther ? Effect.succeed(false) : asked(() => keychain.delete(key))
      }),
    exclusive: makeMemoryStore().exclusive
  }
}
// #endregion
// #region browser
const nobodyListens = "http://127.0.0.1:49152/callback"

/** For a machine without a browser: the person opens the page elsewhere, and pastes the address where it ended. */
export const pasting = (ask: (question: string) => Promise<string>): Browser => ({
  visit: () =>
    Effect.succeed({
      redirectUri: nobodyListens,
      open: (page, state) =>
        Effect.tryPromise({
          try: async () => {
            const end = new URL(await ask(`Open ${page.href}\nPaste the address that you were sent to: `))
            if (end.searchParams.get("state") !== state) throw new Error("another login")
            return end.searchParams
          },
          catch: () =>
            new AuthReason.LoginNeeded({ why: "what was pasted is not where this login ended; log in again" })
        })
    })
})
// #endregion
// #region provider
import { McpReason, type TokenProvider } from "@treadle/client"

/** @param issue gives a token, and whether it has to be a new one */
export const vault = (issue: (fresh: boolean) => Promise<string>): TokenProvider => ({
  open: (server) =>
    Effect.sync(() => {
      const ask = (fresh: boolean) =>
        Effect.tryPromise({
          try: () => issue(fresh),
          catch: () => new McpReason.Unauthorized({ server: server.href, detail: "the vault gave no token" })
        })
      let token: string | undefined
      return {
        headers: ({ url }) =>
          url.origin === server.origin
            ? Effect.map(ask(false), (given) => {
                token = given
                return { authorization: `Bearer ${given}` }
              })
            : Effect.succeed({}),
        // Once: a new token that is the same one as before would be refused again.
        refused: (_, { status }) =>
          status === 401 ? Effect.map(ask(true), (given) => given !== token) : Effect.succeed(false),
        caller: Effect.succeed("night-job")
      }
    })
})
// #endregion

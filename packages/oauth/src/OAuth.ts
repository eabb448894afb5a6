/**
 * Providers of tokens for the `auth` setting of a client, and the logins behind them. A provider is inert: it may serve
 * many sessions, and those with one store share one login.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { TokenProvider } from "@treadle/client"
import { policyFor, shownAddress } from "./AddressGuard.ts"
import { AuthError, AuthReason } from "./AuthError.ts"
import type { Browser } from "./Browser.ts"
import { makeAuthorizer } from "./flow/Authorizer.ts"
import { findChallenge } from "./flow/Challenge.ts"
import { codeSource } from "./flow/CodeSource.ts"
import { Logins } from "./flow/Logins.ts"
import {
  credentialsSource,
  enterpriseSource,
  workloadSource,
  type MachineClient,
  type SecretSource
} from "./flow/MachineSource.ts"
import type { OAuthPeer } from "./flow/OAuthPeer.ts"
import type { PrivateKeyText } from "./flow/SigningKey.ts"
import type { Source } from "./flow/Source.ts"
import { sendByFetch } from "./OAuthSender.ts"
import { checkProvider, demandFunction, demandProof, demandText } from "./ProviderChecks.ts"
import {
  providerNames,
  type BrowserSettings,
  type CredentialsSettings,
  type EnterpriseSettings,
  type OAuthSettings,
  type RegisteredClient,
  type Secret,
  type SecretProvider,
  type WorkloadSettings
} from "./ProviderSettings.ts"
import { checkNames, checkRecord } from "./SettingValues.ts"
import { makeMemoryStore } from "./TokenStore.ts"

/** A provider of tokens, and the logins that it keeps. */
export interface OAuthProvider extends TokenProvider {
  /** Logs in now, where no login is kept that can be used; a session does it by itself when it is refused. */
  readonly login: (server: string | URL) => Effect.Effect<void, AuthError>
  /** Forgets the login. @returns whether there was one */
  readonly logout: (server: string | URL) => Effect.Effect<boolean, AuthError>
  /** Whether a login is kept. */
  readonly isLoggedIn: (server: string | URL) => Effect.Effect<boolean, AuthError>
}

const redacted = (secret: Secret): Redacted.Redacted => (Redacted.isRedacted(secret) ? secret : Redacted.make(secret))

const keyOf = ({ algorithm, keyId, privateKey }: Partial<RegisteredClient>): PrivateKeyText | undefined =>
  privateKey === undefined ? undefined : { privateKey: redacted(privateKey), algorithm, keyId }

const machineOf = (client: RegisteredClient): MachineClient => ({
  id: client.clientId,
  secret: client.clientSecret === undefined ? undefined : redacted(client.clientSecret),
  key: keyOf(client)
})

/** @param setting what gives it, for the message; what it fails with may quote it and is not told */
const secretSource = (setting: string, give: SecretProvider): SecretSource => {
  const why = `the "${setting}" setting gave no token; make sure that whatever it asks is logged in`
  const given = Effect.tryPromise(async () => {
    const secret = give()
    return Effect.isEffect(secret) ? secret : Effect.succeed(await secret)
  })
  return Effect.mapBoth(Effect.flatten(given), {
    onSuccess: redacted,
    onFailure: () => new AuthReason.LoginNeeded({ why })
  })
}

const noAddress = (server: string | URL): AuthError => {
  const why = `${JSON.stringify(String(server))} is no URL; write one such as https://host/mcp`
  return new AuthError({ reason: new AuthReason.LoginNeeded({ why }), server: String(server) })
}

/** @param owner names whose logins these are within a store */
const provider = (source: Source, owner: ReadonlyArray<string>, settings: OAuthSettings): OAuthProvider => {
  const { store = makeMemoryStore() } = settings
  const logouts = { count: 0 }
  const peerOf = (server: URL): OAuthPeer => ({
    server,
    send: settings.sender ?? sendByFetch,
    policy: policyFor(settings.network ?? "public", [server.hostname]),
    timeout: settings.timeout ?? 30_000
  })
  const loginsOf = (peer: OAuthPeer): Logins =>
    new Logins({
      peer,
      store,
      source,
      owner: JSON.stringify([...owner, settings.account ?? ""]),
      wanted: settings.scopes ?? [],
      hints: {
        metadata: settings.metadata === undefined ? undefined : String(settings.metadata),
        issuer: settings.issuer
      },
      dpop: settings.dpop === true,
      logouts
    })
  const at = <A>(
    server: string | URL,
    use: (logins: Logins, peer: OAuthPeer) => Effect.Effect<A, AuthReason>
  ): Effect.Effect<A, AuthError> => {
    if (!URL.canParse(server)) return Effect.fail(noAddress(server))
    const peer = peerOf(new URL(server))
    const shown = shownAddress(peer.server)
    return Effect.mapError(use(loginsOf(peer), peer), (reason) => new AuthError({ reason, server: shown }))
  }
  return {
    open: (server) => makeAuthorizer(loginsOf(peerOf(server)), shownAddress(server)),
    login: (server) =>
      at(server, (logins, peer) =>
        Effect.gen(function* () {
          const kept = yield* logins.kept
          if (kept !== undefined && (yield* logins.fresh(kept)) !== undefined) return
          yield* logins.replace(kept, yield* findChallenge(peer))
        })
      ),
    logout: (server) => at(server, (logins) => logins.forget),
    isLoggedIn: (server) => at(server, (logins) => Effect.map(logins.kept, (kept) => kept !== undefined))
  }
}

const nobody: Browser = {
  visit: () =>
    Effect.fail(
      new AuthReason.LoginNeeded({
        why: 'a person has to log in, and there is no "browser" setting; log in where there is one, with the same store'
      })
    )
}

/**
 * A person logs in, in a browser: the authorization code flow with PKCE, with registration where it is needed.
 *
 * @param settings `clientName`, and a `browser`, without which only a login that is kept is used
 * @throws TypeError where a setting could not work
 *
 * @example
 * ```ts
 * import { McpClient } from "@treadle/client"
 * import { OAuth } from "@treadle/oauth"
 * import * as Effect from "effect/Effect"
 *
 * const auth = OAuth.browser({ clientName: "Box office" })
 * const session = McpClient.http("https://box.example/mcp", { auth })
 * Effect.isEffect(session) // => true
 * ```
 */
const browser = (settings: BrowserSettings): OAuthProvider => {
  demandText(checkProvider("OAuth.browser", settings, providerNames.browser), "clientName")
  const { browser: shown = nobody, clientId, clientMetadataUrl, clientName, clientSecret } = settings
  const identity = {
    name: clientName,
    id: clientId,
    secret: clientSecret === undefined ? undefined : redacted(clientSecret),
    key: keyOf(settings),
    metadataUrl: clientMetadataUrl
  }
  return provider(codeSource(identity, shown), ["browser", clientId ?? clientMetadataUrl ?? clientName], settings)
}

/**
 * The client acts on its own behalf, with its secret or its key (`client_credentials`).
 *
 * @throws TypeError where a setting could not work
 *
 * @example
 * ```ts
 * import { OAuth } from "@treadle/oauth"
 * import * as Redacted from "effect/Redacted"
 *
 * const auth = OAuth.clientCredentials({
 *   issuer: "https://login.example",
 *   clientId: "night job",
 *   clientSecret: Redacted.make("a secret")
 * })
 * Object.keys(auth) // => ["open", "login", "logout", "isLoggedIn"]
 * ```
 */
const clientCredentials = (settings: CredentialsSettings): OAuthProvider => {
  const given = checkProvider("OAuth.clientCredentials", settings, providerNames.clientCredentials)
  demandText(given, "clientId")
  demandProof(given)
  return provider(credentialsSource(machineOf(settings)), ["client_credentials", settings.clientId], settings)
}

/**
 * The user is vouched for by the identity provider of an employer (enterprise-managed authorization).
 *
 * @throws TypeError where a setting could not work
 * @see https://github.com/modelcontextprotocol/ext-auth
 */
const enterprise = (settings: EnterpriseSettings): OAuthProvider => {
  const given = checkProvider("OAuth.enterprise", settings, providerNames.enterprise)
  demandText(given, "clientId")
  demandFunction(given, "idToken")
  checkRecord("identityProvider", settings.identityProvider, "{ issuer, tokenEndpoint, clientId }")
  checkNames(settings.identityProvider, providerNames.identityProvider, "identityProvider.")
  const { idToken, identityProvider } = settings
  const source = enterpriseSource(machineOf(settings), {
    issuer: identityProvider.issuer,
    tokenEndpoint: identityProvider.tokenEndpoint,
    client: machineOf(identityProvider),
    idToken: secretSource("idToken", idToken)
  })
  return provider(source, ["enterprise", settings.clientId], settings)
}

/**
 * The workload is vouched for by the platform that it runs on (workload identity federation).
 *
 * @throws TypeError where a setting could not work
 * @see https://github.com/modelcontextprotocol/ext-auth
 */
const workload = (settings: WorkloadSettings): OAuthProvider => {
  const given = checkProvider("OAuth.workload", settings, providerNames.workload)
  demandText(given, "clientId")
  demandFunction(given, "assertion")
  return provider(
    workloadSource(machineOf(settings), secretSource("assertion", settings.assertion)),
    ["workload", settings.clientId],
    settings
  )
}

/** Providers of tokens; `@treadle/oauth/node` has them with the browser and the files of the system. */
export const OAuth = { browser, clientCredentials, enterprise, workload }

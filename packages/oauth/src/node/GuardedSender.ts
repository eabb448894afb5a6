/**
 * Sends the requests of OAuth flows over connections whose far end was looked at first: a name is resolved once, every
 * address it resolves to is judged, and exactly those are dialled (SEC-01). No redirect is followed, no proxy of the
 * environment is used, no cookie and no connection is kept.
 */
import { lookup, type LookupAddress } from "node:dns"
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import {
  addressKind,
  forgeryRule,
  isLoopbackHost,
  refusedAddress,
  refusedIp,
  shownAddress,
  type AddressPolicy
} from "../AddressGuard.ts"
import { AuthReason } from "../AuthError.ts"
import type { OAuthRequest, OAuthSender } from "../OAuthSender.ts"
import { checkFunctions, checkNames, checkRecord } from "../SettingValues.ts"

/** Settings of a guarded sender. */
export interface GuardedSenderSettings {
  /** Resolves a name, once a request; the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<ReadonlyArray<string>>
  /** The longest body of a response, in bytes: 1 MiB by default. */
  readonly bodyLimit?: number
}

/** The longest head of a response, in bytes. */
const headLimit = 16 * 1024

const bodyless = new Set([204, 205, 304])

const resolveBySystem = (host: string): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) =>
      error === null ? resolve(found.map(({ address }) => address)) : reject(error)
    )
  })

/** The addresses behind a name, each of them judged. */
const vetted = (url: URL, found: ReadonlyArray<string>, policy: AddressPolicy): ReadonlyArray<LookupAddress> => {
  if (found.length === 0) throw new Error(`${url.hostname} has no address`)
  const own = isLoopbackHost(url.hostname)
  return found.map((address) => {
    const family = isIP(address)
    const kind = addressKind(address)
    const why =
      kind === undefined ? "is no IP" : own && kind !== "loopback" ? "is not this machine" : refusedIp(address, policy)
    if (why === undefined) return { address, family }
    throw new AuthReason.AddressRefused({
      url: shownAddress(url),
      what: "the address",
      why: `${url.hostname} leads to ${address}, which ${why}`,
      rule: forgeryRule
    })
  })
}

/**
 * Answers whoever dials with what was judged, in place of a resolver. Not at once: an address that cannot be reached would
 * fail before anybody listens for errors, which ends the process.
 */
const answering =
  (addresses: ReadonlyArray<LookupAddress>): LookupFunction =>
  (_, options, callback) => {
    const [first] = addresses
    setImmediate(() => {
      if (options.all === true) callback(null, [...addresses])
      else callback(null, first?.address ?? "", first?.family)
    })
  }

const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  return headers
}

const bodyOf = async (message: IncomingMessage, limit: number): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new Error(`the response is longer than ${limit} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const responseOf = async (message: IncomingMessage, limit: number): Promise<Response> => {
  const { headers, statusCode: status = 0 } = message
  const coding = headers["content-encoding"]
  if (coding !== undefined && coding !== "identity") {
    message.destroy()
    throw new Error("the response is compressed, which was not asked for")
  }
  const bytes = await bodyOf(message, limit)
  return new Response(bodyless.has(status) ? null : new Uint8Array(bytes), { status, headers: headersOf(message) })
}

/** Several addresses that were dialled in vain fail with an error without words. */
const told = (error: Error): Error =>
  error instanceof AggregateError
    ? new Error(error.errors.map((one) => String(one?.message)).join("; "), { cause: error })
    : error

/** One request over a connection of its own. */
const dial = (
  { body, headers, method, signal, url }: OAuthRequest,
  addresses: ReadonlyArray<LookupAddress>
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:"
    const sent = new Headers(headers)
    sent.set("accept-encoding", "identity")
    if (body !== undefined) sent.set("content-length", String(Buffer.byteLength(body)))
    const options: RequestOptions = {
      method,
      signal,
      headers: Object.fromEntries(sent),
      agent: isSecure ? new HttpsAgent({ keepAlive: false }) : new Agent({ keepAlive: false }),
      lookup: answering(addresses),
      maxHeaderSize: headLimit
    }
    const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options)
    request.on("error", (error) => reject(told(error)))
    // An upgrade that nobody asked for ends it with neither an answer nor an error.
    request.once("close", () => reject(new Error("the connection was closed")))
    request.once("response", resolve)
    request.end(body)
  })

/** What a promise comes to, or a rejection as soon as it is given up. */
const unlessAborted = <A>(signal: AbortSignal, promise: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(new Error("it was given up"))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

/**
 * A sender that dials only what the policy allows, whatever a name resolves to.
 *
 * It rejects with `AuthReason.AddressRefused` where the address, or one of those that its name resolves to, may not be
 * called, and with an error where there is no response, where the response is too long, or where it is compressed.
 *
 * @example
 * ```ts
 * import { makeGuardedSender } from "@treadle/oauth/node"
 *
 * const send = makeGuardedSender({ resolve: async () => ["8.8.8.8", "10.0.0.7"] })
 * const request = {
 *   url: new URL("https://login.example/token"),
 *   method: "POST",
 *   headers: new Headers(),
 *   body: "",
 *   signal: new AbortController().signal
 * } as const
 * await send(request, { loopback: false, privateNetworks: false }).catch((refused) => refused.why)
 * // => 'login.example leads to 10.0.0.7, which is in a private network; say network: "private" to allow it'
 * ```
 */
export const makeGuardedSender = (settings: GuardedSenderSettings = {}): OAuthSender => {
  checkRecord("what makeGuardedSender is given", settings, "{ bodyLimit: 65536 }")
  checkNames(settings, ["resolve", "bodyLimit"])
  checkFunctions(settings, ["resolve"])
  const { bodyLimit = 1024 * 1024, resolve = resolveBySystem } = settings
  if (!Number.isInteger(bodyLimit) || bodyLimit < 1) throw new TypeError("bodyLimit must be a whole number above 0")
  return async (request, policy) => {
    const { signal, url } = request
    const refused = refusedAddress(url, "the address", policy)
    if (refused !== undefined) throw refused
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    const found = isIP(host) === 0 ? await unlessAborted(signal, resolve(host)) : [host]
    const message = await dial(request, vetted(url, found, policy))
    return unlessAborted(signal, responseOf(message, bodyLimit))
  }
}

/** Sends with the system's resolver: what `makeGuardedSender()` makes. */
export const guardedSender: OAuthSender = makeGuardedSender()

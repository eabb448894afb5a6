/**
 * The lists of a server: every page of them, each entry that can be read, kept for as long as the server says.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { own, wireDecoder, type Json, type JsonObject, type Misfit } from "@treadle/protocol/json"
import { ErrorCode } from "@treadle/protocol/rpc"
import { ClientRequest, Prompt, Resource, ResourceTemplate, Tool, type ClientMethod } from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import { notOffered } from "../opening/Agreed.ts"
import { freshnessOf, strictest, type Cache, type Freshness } from "./Cache.ts"
import type { Links } from "../Links.ts"
import { drainPages } from "./Paging.ts"
import type { Plan, Requests } from "../Requests.ts"

/** One sort of list. */
interface Kind<A> {
  readonly method: ClientMethod
  readonly page: (cursor?: string) => ClientRequest
  /** The member of a page that holds its entries. */
  readonly member: string
  /** What names an entry in a warning. */
  readonly named: string
  readonly what: string
  readonly decode: (entry: unknown) => Result.Result<A, Misfit>
}

/** The four lists. */
export const kinds = {
  tools: {
    method: "tools/list",
    page: ClientRequest.listTools,
    member: "tools",
    named: "name",
    what: "tool",
    decode: wireDecoder(Tool)
  } satisfies Kind<Tool>,
  resources: {
    method: "resources/list",
    page: ClientRequest.listResources,
    member: "resources",
    named: "uri",
    what: "resource",
    decode: wireDecoder(Resource)
  } satisfies Kind<Resource>,
  templates: {
    method: "resources/templates/list",
    page: ClientRequest.listTemplates,
    member: "resourceTemplates",
    named: "uriTemplate",
    what: "template",
    decode: wireDecoder(ResourceTemplate)
  } satisfies Kind<ResourceTemplate>,
  prompts: {
    method: "prompts/list",
    page: ClientRequest.listPrompts,
    member: "prompts",
    named: "name",
    what: "prompt",
    decode: wireDecoder(Prompt)
  } satisfies Kind<Prompt>
} as const

/** How many entries that are left out are named in the log, and with how many characters each: a server chose them. */
const mostNamed = 20
const longestWarning = 500

/** One entry that is left out, and why. */
export const leftOut = (what: string, name: unknown, problems: ReadonlyArray<string>): string => {
  const said = `The ${what} ${JSON.stringify(name)} is left out: ${problems.join("; ")}.`
  return said.length > longestWarning ? `${said.slice(0, longestWarning)}…` : said
}

/** Says which entries of a list are left out. */
export const warn = (server: string, method: string, warnings: ReadonlyArray<string>): Effect.Effect<void> => {
  if (warnings.length === 0) return Effect.void
  const others = warnings.length - mostNamed
  const said = others > 0 ? [...warnings.slice(0, mostNamed), `So are ${others} others.`] : warnings
  return Effect.logWarning(`${method} at ${server}: ${said.join(" ")}`)
}

/** A list as it came. */
type Entries = ReadonlyArray<Json>

const isCode = ({ reason }: McpError, code: number): boolean => reason._tag === "Rpc" && reason.code === code

/** Gets the lists of one session. */
export class Lists {
  readonly #links: Links
  readonly #requests: Requests
  readonly #cache: Cache
  /** The entries of a list that was read before. */
  readonly #read = new WeakMap<Entries, ReadonlyArray<unknown>>()

  constructor(links: Links, requests: Requests, cache: Cache) {
    this.#links = links
    this.#requests = requests
    this.#cache = cache
  }

  /**
   * Every entry of a list. A server that does not offer it has none and is not asked; one that offers it and does not
   * know the method has none either.
   *
   * @param plan how long each page may take
   * @param onEndless as of `ListOptions`
   */
  readonly all = <A>(
    kind: Kind<A>,
    plan: Plan,
    onEndless?: (why: string) => void
  ): Effect.Effect<ReadonlyArray<A>, McpError> =>
    Effect.flatMap(this.#links.get, ({ agreed }) => {
      if (notOffered(agreed, kind.method) !== undefined) return Effect.succeed([])
      const kept = this.#cache.through({ method: kind.method }, this.#drained(kind, plan, onEndless), (found) =>
        this.#requests.within(kind.page(), plan, found)
      )
      return Effect.catchIf(
        Effect.flatMap(kept, (entries) => this.#decoded(kind, entries)),
        (error: McpError) => isCode(error, ErrorCode.MethodNotFound),
        () =>
          Effect.as(
            warn(this.#requests.server, kind.method, [`The server offers a list of ${kind.member} and has none.`]),
            [] as ReadonlyArray<A>
          )
      )
    })

  /** Forgets what is kept of a list, so that the next one comes from the server. */
  readonly forget = <A>({ method }: Kind<A>): Effect.Effect<void> =>
    this.#cache.changed((subject) => subject.method === method)

  /** The whole list from the server. A cursor that it no longer knows begins the list anew, once (CACHE-10). */
  #drained<A>(
    kind: Kind<A>,
    plan: Plan,
    onEndless: ((why: string) => void) | undefined
  ): Effect.Effect<{ value: Json & Entries; freshness: Freshness | undefined }, McpError> {
    const fail = (reason: McpReason) => this.#requests.error(kind.page(), reason)
    /** Whether the page that was asked for last has a cursor. */
    let paged = false
    const drain = Effect.suspend(() => {
      let freshness: Freshness | undefined
      let whole = true
      const endless =
        onEndless &&
        ((why: string) => {
          whole = false
          onEndless(why)
        })
      const page = (cursor: string | undefined) => {
        paged = cursor !== undefined
        return Effect.map(this.#requests.send(kind.page(cursor), plan), ({ result }): JsonObject => {
          const found = freshnessOf(result)
          freshness = freshness === undefined ? found : strictest(freshness, found)
          return result
        })
      }
      return Effect.map(drainPages(page, kind.member, fail, endless), (entries) => ({
        // The entries of a JSON result are JSON.
        value: entries as Json & Entries,
        freshness: whole ? (freshness ?? { ttlMs: 0, shared: false }) : undefined
      }))
    })
    return Effect.catchIf(
      drain,
      (error: McpError) => isCode(error, ErrorCode.InvalidParams) && paged,
      () => drain
    )
  }

  #decoded<A>(kind: Kind<A>, entries: Entries): Effect.Effect<ReadonlyArray<A>> {
    const before = this.#read.get(entries)
    // The same entries were read by the same kind.
    if (before !== undefined) return Effect.succeed(before as ReadonlyArray<A>)
    const read: Array<A> = []
    const warnings: Array<string> = []
    for (const entry of entries) {
      const decoded = kind.decode(entry)
      if (Result.isSuccess(decoded)) read.push(decoded.success)
      else warnings.push(leftOut(kind.what, own(entry, kind.named), decoded.failure.problems))
    }
    this.#read.set(entries, read)
    return Effect.as(warn(this.#requests.server, kind.method, warnings), read)
  }
}

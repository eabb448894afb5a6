/**
 * The row of a list method: the entries that a caller sees, in pages. A list that fits on one is answered at once with
 * text that is printed once for each set of entries and revision; the cursors of a longer one are sealed when they are
 * handed out.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Revision } from "@treadle/protocol/era"
import { own, toBase64 } from "@treadle/protocol/json"
import { RpcError, type MethodName } from "@treadle/protocol/rpc"
import type { CacheHint } from "@treadle/protocol/schema"
import type { Dress } from "../../envelope/Dress.ts"
import { internalError } from "../../reply/ErrorReply.ts"
import { listReply, nextPage } from "../../reply/ListReply.ts"
import type { NeutralResult } from "../../reply/NeutralResult.ts"
import type { CursorFacts, CursorSeal } from "./CursorSeal.ts"
import type { Listed, ListTable, View } from "../offer/ListTable.ts"
import type { Row, Running } from "./Row.ts"

/** What a list is made of. */
export interface PagesParts<H extends Listed> {
  readonly method: MethodName
  /** The member of the result that holds the entries. */
  readonly member: string
  readonly table: ListTable<H>
  readonly hint: CacheHint
  /** Entries on a page. */
  readonly pageSize: number
  readonly seal: CursorSeal
  readonly dress: Dress
}

/** The pages of one set of entries. */
interface Printed {
  readonly pages: ReadonlyArray<NeutralResult>
  /** The only page as revisions want it, by their version. */
  readonly texts: Map<string, string>
  /** A hash of the entries and of how they are cut: the same in every process that serves the same list. */
  readonly print: Effect.Effect<string>
}

/** How many sets of entries of one version of a list are kept printed. */
const keptViews = 64

/** The hash of a list, made when it is first needed. */
const printOf = (pageSize: number, listings: ReadonlyArray<string>): Effect.Effect<string> => {
  let made: Promise<string> | undefined
  const make = async () => {
    const bytes = new TextEncoder().encode(JSON.stringify([pageSize, ...listings]))
    return toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))
  }
  return Effect.promise(() => (made ??= make()))
}

class Pages<H extends Listed> {
  readonly #parts: PagesParts<H>
  readonly #kept = new Map<string, Printed>()
  #version = 0

  constructor(parts: PagesParts<H>) {
    this.#parts = parts
  }

  readonly row: Row = ({ inbound, request, revision }) => {
    const cursor = own(request.params, "cursor")
    const view = this.#parts.table.view(inbound.context)
    const printed = this.#printed(view)
    if (printed.pages.length > 1 && (cursor === undefined || typeof cursor === "string")) {
      return this.#page(printed, cursor, inbound.principal?.id)
    }
    return cursor === undefined ? this.#onlyPage(printed, revision) : this.#invalid()
  }

  #onlyPage({ pages, texts }: Printed, revision: Revision): string {
    const known = texts.get(revision.version)
    if (known !== undefined) return known
    const text = this.#parts.dress.result(pages[0] ?? { members: "" }, revision)
    texts.set(revision.version, text)
    return text
  }

  #page({ pages, print }: Printed, cursor: string | undefined, principal: string | undefined): Running {
    const { method, seal } = this.#parts
    const turn = Effect.fnUntraced(function* (facts: CursorFacts, invalid: RpcError) {
      const index = cursor === undefined ? 0 : yield* seal.open(cursor, facts)
      const page = index === undefined ? undefined : pages[index]
      if (index === undefined || page === undefined) return yield* Effect.fail(invalid)
      return index + 1 === pages.length ? page : nextPage(page, yield* seal.seal(index + 1, facts))
    })
    return {
      name: method,
      effect: () => Effect.flatMap(print, (list) => turn([method, list, principal], this.#invalid())),
      services: Context.empty(),
      timeout: undefined,
      died: internalError
    }
  }

  #invalid(): RpcError {
    const { method } = this.#parts
    return RpcError.invalidParams(
      `Invalid cursor: it is not one that this server gave you for ${method} as it is now; call it without a cursor`
    )
  }

  #printed(view: View<H>): Printed {
    if (view.version !== this.#version) this.#kept.clear()
    this.#version = view.version
    const known = this.#kept.get(view.id)
    if (known !== undefined) return known
    const { hint, member, pageSize } = this.#parts
    const listings = view.handlers().map(({ listing }) => listing)
    // A cursor is bound to its caller, so nobody else may be handed the page that it stands on.
    const isPrivate = view.restricted || listings.length > pageSize
    const cache: CacheHint = isPrivate ? { ...hint, cacheScope: "private" } : hint
    const pages: Array<NeutralResult> = []
    for (let at = 0; at === 0 || at < listings.length; at += pageSize) {
      pages.push(listReply(member, listings.slice(at, at + pageSize), cache))
    }
    const printed = { pages, texts: new Map<string, string>(), print: printOf(pageSize, listings) }
    if (this.#kept.size >= keptViews) this.#kept.delete(this.#kept.keys().next().value ?? "")
    this.#kept.set(view.id, printed)
    return printed
  }
}

/** The row of a list method. */
export const listRow = <H extends Listed>(parts: PagesParts<H>): Row => new Pages(parts).row

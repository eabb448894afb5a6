/**
 * The two tools of a catalog: `search_operations`, and `invoke` as it is listed. What `invoke` runs is an operation, in
 * its own name; its handler here is for calls that name none which could run, and says why not.
 */
import { Arg, Endpoint, hintAnnotations, type AnyEndpoint, type Hints } from "@treadle/protocol/endpoint"
import * as Schema from "effect/Schema"
import type { CatalogOptions } from "../CatalogOptions.ts"
import type { Call } from "../CurrentCall.ts"
import type { CatalogEntry, OperationEntry } from "./Entry.ts"

/** The names that a catalog takes. */
export const catalogNames = { search: "search_operations", invoke: "invoke" } as const

/** How many operations a search gives. */
const found = { usual: 10, most: 50 } as const

const Document = Schema.Record(Schema.String, Schema.Json)

const Found = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.String,
  inputSchema: Document,
  outputSchema: Schema.optionalKey(Document),
  annotations: Schema.optionalKey(Document)
})

/** An operation as a search shows it. */
export type FoundOperation = typeof Found.Encoded

/** What the tools ask of the catalog for one caller. */
export interface CatalogView {
  /** What a query finds of the operations that the caller sees and `invoke` runs, the best first. */
  readonly search: (query: string, context: unknown) => ReadonlyArray<{ readonly shown: FoundOperation }>
  /** Why `invoke` runs nothing of this name for the caller. */
  readonly obstacle: (name: string, context: unknown) => string
}

/** Whether `invoke` runs an operation: only `true` of the author's function is a yes, and no other answer of it is. */
export const reaches = ({ allow }: CatalogOptions, endpoint: AnyEndpoint): boolean => {
  if (endpoint.about.hints?.readOnly === true || allow === undefined) return endpoint.about.hints?.readOnly === true
  return typeof allow === "function" ? allow(endpoint) === true : allow.includes(endpoint.name)
}

/** An operation as a search shows it. */
export const foundOperation = ({ about, name, shape }: AnyEndpoint): FoundOperation => {
  const annotations = hintAnnotations(about.hints)
  return {
    name,
    ...(about.title === undefined ? {} : { title: about.title }),
    description: about.description,
    inputSchema: shape.inputSchema,
    ...(shape.outputSchema === undefined ? {} : { outputSchema: shape.outputSchema }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } })
  }
}

/** What any of some operations may do, as one that counts for all of them; what one does not say counts as the worst. */
export const unitedHints = (all: ReadonlyArray<Hints | undefined>): Hints => {
  const changing = all.filter((hints) => hints?.readOnly !== true)
  const world = all.every((hints) => hints?.openWorld === false) ? { openWorld: false } : {}
  if (changing.length === 0) return { readOnly: true, ...world }
  return {
    readOnly: false,
    destructive: changing.some((hints) => hints?.destructive !== false),
    idempotent: changing.every((hints) => hints?.idempotent === true),
    ...world
  }
}

const entryOf = (
  endpoint: AnyEndpoint,
  { place }: CatalogEntry,
  handler: OperationEntry["handler"]
): OperationEntry => ({
  endpoint,
  handler,
  settings: {},
  promoted: true,
  place,
  layers: []
})

/** The tool that finds operations. */
export const searchTool = (catalog: CatalogEntry, view: CatalogView): OperationEntry => {
  const endpoint = Endpoint.make(catalogNames.search, {
    title: "Search operations",
    description:
      "Finds operations of this server that are not in its list of tools, and shows what each of them takes and gives. " +
      "Ask for what you want to do in a few words; an empty query shows the first ones. " +
      `Run what you found with ${catalogNames.invoke}.`,
    input: {
      query: Arg.withDefault(Schema.String, "", "A name, or a few words"),
      limit: Arg.withDefault(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: found.most })),
        found.usual,
        "How many to show at the most"
      )
    },
    output: Schema.Struct({
      operations: Schema.Array(Found),
      total: Schema.Int.annotate({ description: "How many were found, shown or not" })
    }),
    hints: { readOnly: true, openWorld: false }
  })
  return entryOf(
    endpoint,
    catalog,
    ({ limit, query }: { readonly query: string; readonly limit: number }, { context }: Call<unknown, never>) => {
      const all = view.search(query, context)
      return { operations: all.slice(0, limit).map(({ shown }) => shown), total: all.length }
    }
  )
}

/**
 * The tool that runs operations. It has no output schema: what it gives is what the operation gives.
 *
 * @param hints of all that it may run
 */
export const invokeTool = (catalog: CatalogEntry, view: CatalogView, hints: Hints): OperationEntry => {
  const endpoint = Endpoint.make(catalogNames.invoke, {
    title: "Run an operation",
    description:
      `Runs an operation that ${catalogNames.search} found, and gives what it gives. ` +
      "Its arguments are those of its inputSchema.",
    input: {
      name: Schema.String.annotate({ description: "The name of the operation" }),
      arguments: Arg.optional(Document, "Its arguments, as its inputSchema has them")
    },
    hints
  })
  return entryOf(endpoint, catalog, ({ name }: { readonly name: string }, { context, fail }: Call<unknown, never>) =>
    fail(view.obstacle(name, context))
  )
}

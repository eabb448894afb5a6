/**
 * The types of endpoints: what a caller may give, what a handler gets and returns, what comes back.
 */
import {
  Arg,
  Endpoint,
  Reply,
  type ArgsOf,
  type FailureOf,
  type InputOf,
  type OutputOf,
  type ReturnedOf
} from "@treadle/protocol"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { is, type Eq } from "./Equal.ts"

class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String }) {}
class ShowNotFound extends Schema.TaggedError<ShowNotFound>()("ShowNotFound", { id: Schema.Int }) {}
class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { left: Schema.Int }) {}

// One error, no list; a hint that is false; a route whose parameter is a field.
const getShow = Endpoint.make("get_show", {
  description: "One bill",
  input: { id: Schema.Int },
  output: Show,
  errors: ShowNotFound,
  hints: { readOnly: true, openWorld: false },
  http: "GET /shows/:id"
})
is<Eq<(typeof getShow)["name"], "get_show">>()
is<Eq<InputOf<typeof getShow>, { readonly id: number }>>()
is<Eq<ArgsOf<typeof getShow>, { readonly id: number }>>()
is<Eq<ReturnedOf<typeof getShow>, Show>>()
is<Eq<OutputOf<typeof getShow>, Show>>()
is<Eq<FailureOf<typeof getShow>, ShowNotFound>>()

// Defaults and optionals: the handler sees them filled, the caller may leave them out.
const list = Endpoint.make("list", {
  description: "All",
  input: {
    limit: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(20))),
    status: Schema.optionalKey(Schema.String)
  }
})
is<Eq<ArgsOf<typeof list>, { readonly limit?: number; readonly status?: string }>>()
is<Eq<InputOf<typeof list>, { readonly limit: number; readonly status?: string }>>()

const listWithArg = Endpoint.make("list", {
  description: "All",
  input: { limit: Arg.withDefault(Schema.Int, 20, "How many"), status: Arg.optional(Schema.String, "Which") }
})
is<Eq<ArgsOf<typeof listWithArg>, ArgsOf<typeof list>>>()
is<Eq<InputOf<typeof listWithArg>, InputOf<typeof list>>>()

// A default is written in its JSON form, and checked.
Arg.withDefault(Schema.DateFromString, "2026-07-28")
// @ts-expect-error a date is not how a date is sent
Arg.withDefault(Schema.DateFromString, new Date())
// @ts-expect-error the default of an integer is a number
Arg.withDefault(Schema.Int, "20")

// No input, no output: text or nothing is returned, text comes back.
const ping = Endpoint.make("ping", { description: "Is it up" })
is<Eq<InputOf<typeof ping>, {}>>()
is<Eq<ArgsOf<typeof ping>, { readonly [name: string]: never }>>()
is<Eq<ReturnedOf<typeof ping>, string | void>>()
is<Eq<OutputOf<typeof ping>, string>>()
is<Eq<FailureOf<typeof ping>, never>>()

// A struct, a list and a class as input; transformed members are decoded on both sides.
const search = Endpoint.make("search", {
  description: "Some",
  input: Schema.Struct({ since: Schema.DateFromString, limit: Arg.withDefault(Schema.Int, 5) }),
  output: Schema.Array(Show)
})
is<Eq<ArgsOf<typeof search>, { readonly since: Date; readonly limit?: number }>>()
is<Eq<InputOf<typeof search>, { readonly since: Date; readonly limit: number }>>()
is<Eq<OutputOf<typeof search>, ReadonlyArray<Show>>>()

// Zod and ArkType: callers give what goes in, handlers get what comes out.
const withZod = Endpoint.make("zod", {
  description: "Zod",
  input: z.object({ n: z.int().default(3), note: z.string().optional() }),
  output: z.object({ ok: z.boolean(), by: z.string().default("us") })
})
is<Eq<ArgsOf<typeof withZod>, { n?: number | undefined; note?: string | undefined }>>()
is<Eq<InputOf<typeof withZod>, { n: number; note?: string | undefined }>>()
is<Eq<ReturnedOf<typeof withZod>, { ok: boolean; by?: string | undefined }>>()
is<Eq<OutputOf<typeof withZod>, { ok: boolean; by: string }>>()

const withArk = Endpoint.make("ark", {
  description: "ArkType",
  input: type({ n: "number = 3" }),
  output: type("string[]")
})
is<Eq<ArgsOf<typeof withArk>, { n?: number }>>()
is<Eq<InputOf<typeof withArk>, { n: number }>>()
is<Eq<OutputOf<typeof withArk>, Array<string>>>()

// Errors: one, several, a union, and without classes.
const several = Endpoint.make("several", { description: "x", errors: [ShowNotFound, SoldOut] })
is<Eq<FailureOf<typeof several>, ShowNotFound | SoldOut>>()
const union = Endpoint.make("union", { description: "x", errors: Schema.Union([ShowNotFound, SoldOut]) })
is<Eq<FailureOf<typeof union>, ShowNotFound | SoldOut>>()
const hold = Endpoint.make("hold", { description: "x", errors: { SoldOut: { left: Schema.Int }, Closed: {} } })
is<Eq<FailureOf<typeof hold>, { readonly _tag: "SoldOut"; readonly left: number } | { readonly _tag: "Closed" }>>()

// Any endpoint is one, and its types are not lost on the way.
const all: ReadonlyArray<AnyEndpoint> = [getShow, list, ping, search, withZod, withArk, several, hold]
is<Eq<typeof all, ReadonlyArray<AnyEndpoint>>>()

// A name that the compiler cannot see is checked when the server is built.
const dynamic: string = "any name"
Endpoint.make(dynamic, { description: "x" })
Endpoint.make("calendar.list-all_2", { description: "x" })

// Replies carry the type of their value.
is<Eq<ReturnType<typeof Reply.of<Show>>["value"], Show>>()

// @ts-expect-error a name with a space
Endpoint.make("get show", { description: "x" })
// @ts-expect-error an empty name
Endpoint.make("", { description: "x" })
// @ts-expect-error a parameter of the route that is no field
Endpoint.make("ok", { description: "x", input: { id: Schema.Int }, http: "GET /shows/:idd" })
// @ts-expect-error a route without a verb in capitals
Endpoint.make("ok", { description: "x", http: "get /shows" })
// @ts-expect-error an input that is no object
Endpoint.make("ok", { description: "x", input: Schema.String })
// @ts-expect-error a description is needed
Endpoint.make("ok", {})
// @ts-expect-error an error without a tag
Endpoint.make("ok", { description: "x", errors: Show })
// @ts-expect-error a hint that does not exist
Endpoint.make("ok", { description: "x", hints: { readonly: true } })

/**
 * Generators of endpoint inputs: the fields an author might write, with arguments that a caller might give and what the
 * handler then gets.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { Arg, type PureFields } from "@treadle/protocol/endpoint"
import { isRecord } from "@treadle/protocol/json"

/** One call of a generated input. */
export interface InputCase {
  /** The fields as an author writes them. */
  readonly fields: PureFields
  /** What a caller gives: members with a default and optional ones may be missing. */
  readonly args: { readonly [name: string]: unknown }
  /** What the handler gets: defaults are filled in. */
  readonly input: { readonly [name: string]: unknown }
}

interface Kind {
  readonly schema: Schema.Codec<unknown>
  readonly values: Arbitrary.Arbitrary<unknown>
  /** A default, decoded and in its JSON form. */
  readonly fallback: readonly [unknown, unknown]
}

/** JSON text has one zero, so `-0` comes back as `0`. */
const oneZero = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(oneZero)
  if (isRecord(value) && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, oneZero(member)]))
  }
  return Object.is(value, -0) ? 0 : value
}

const kind = <S extends Schema.Codec<unknown>>(schema: S, fallback: readonly [S["Type"], unknown]): Kind => ({
  schema,
  values: Arbitrary.map(Arbitrary.schema(schema), oneZero),
  fallback
})

/** A day, well within what a date can say. */
const Day = Schema.DateFromString.check(
  Schema.isBetweenDate({ minimum: new Date("1970-01-01"), maximum: new Date("2100-01-01") })
)

const kinds: ReadonlyArray<Kind> = [
  kind(Schema.String, ["row", "row"]),
  kind(Schema.Int, [20, 20]),
  kind(Schema.Finite, [1.5, 1.5]),
  kind(Schema.Boolean, [false, false]),
  kind(Schema.NullOr(Schema.String), [null, null]),
  kind(Schema.Literals(["stalls", "balcony"]), ["stalls", "stalls"]),
  kind(Schema.Array(Schema.Int), [[1], [1]]),
  kind(Schema.Struct({ row: Schema.String, seat: Schema.optionalKey(Schema.Int) }), [{ row: "A" }, { row: "A" }]),
  kind(Schema.Record(Schema.String, Schema.Boolean), [{}, {}]),
  kind(Day, [new Date("2026-07-28T00:00:00.000Z"), "2026-07-28T00:00:00.000Z"]),
  kind(Schema.NumberFromString.check(Schema.isInt()), [7, "7"]),
  kind(Schema.Json, [{ any: [1, "x", null] }, { any: [1, "x", null] }])
]

const uses = ["required", "optional", "defaulted"] as const

const bounded = (count: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: count - 1 })))

interface Member {
  readonly field: Schema.Codec<unknown>
  readonly given: boolean
  readonly value: unknown
  readonly fallback: unknown
  readonly filled: boolean
}

const fieldOf = ({ schema, fallback }: Kind, use: (typeof uses)[number]): Schema.Codec<unknown> => {
  if (use === "optional") return Arg.optional(schema) as unknown as Schema.Codec<unknown>
  if (use === "defaulted") return Arg.withDefault(schema, fallback[1]) as unknown as Schema.Codec<unknown>
  return schema
}

const member: Arbitrary.Arbitrary<Member> = Arbitrary.flatMap(
  Arbitrary.all([bounded(kinds.length), bounded(uses.length), Arbitrary.schema(Schema.Boolean)]),
  ([at, use, given]) => {
    const chosen = kinds[at] ?? kinds[0]
    const how = uses[use] ?? "required"
    if (chosen === undefined) return Arbitrary.Constant<Member>(nothing)
    return Arbitrary.map(chosen.values, (value) => ({
      field: fieldOf(chosen, how),
      given: given || how === "required",
      value,
      fallback: chosen.fallback[0],
      filled: how === "defaulted"
    }))
  }
)

const nothing: Member = { field: Schema.Json, given: false, value: null, fallback: null, filled: false }

/** Any input with a call of it. */
export const inputCase: Arbitrary.Arbitrary<InputCase> = Arbitrary.map(
  Arbitrary.array(member, { minLength: 1, maxLength: 6 }),
  (members) => {
    const named = members.map((one, at) => [`arg_${at}`, one] as const)
    return {
      fields: Object.fromEntries(named.map(([name, one]) => [name, one.field])),
      args: Object.fromEntries(named.flatMap(([name, one]) => (one.given ? [[name, one.value]] : []))),
      input: Object.fromEntries(
        named.flatMap(([name, one]) => (one.given ? [[name, one.value]] : one.filled ? [[name, one.fallback]] : []))
      )
    }
  }
)

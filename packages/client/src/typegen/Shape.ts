/**
 * What an Effect Schema of a contract can say: the middle between a JSON Schema that a server published and the code
 * that is written for it.
 */
import { isRecord, type Json, type JsonObject } from "@treadle/protocol/json"

/** A rule on top of a type, such as `isMinCodePoints` with `3`. */
export interface Check {
  readonly name: string
  /** A number, the source of a regular expression, or nothing. */
  readonly value?: number | string
}

/** What every shape may carry. */
interface Common {
  /** What is said of it and not checked: description, default, format. */
  readonly said: JsonObject
  readonly checks: ReadonlyArray<Check>
}

/** A member of an object. */
export interface Field {
  readonly name: string
  readonly shape: Shape
  readonly optional: boolean
  /** What its schema said in vain. */
  readonly notes: ReadonlyArray<string>
}

/** An item at a fixed place of a list. */
interface Item {
  readonly shape: Shape
  readonly optional: boolean
}

/** Types that have a schema of their own by this name. */
export type PrimitiveName = "Unknown" | "Json" | "Never" | "String" | "Finite" | "Int" | "Boolean" | "Null"

export type Scalar = string | number | boolean

interface Primitive {
  readonly _tag: "Primitive"
  readonly name: PrimitiveName
}
interface Literals {
  readonly _tag: "Literals"
  readonly values: ReadonlyArray<Scalar>
}
interface List {
  readonly _tag: "List"
  readonly item: Shape
}
interface Tuple {
  readonly _tag: "Tuple"
  readonly items: ReadonlyArray<Item>
  readonly rest: Shape | undefined
}
interface Struct {
  readonly _tag: "Struct"
  readonly fields: ReadonlyArray<Field>
  /** Whether any other member may be there too. */
  readonly open: boolean
}
interface RecordOf {
  readonly _tag: "Record"
  readonly value: Shape
}
interface Union {
  readonly _tag: "Union"
  readonly members: ReadonlyArray<Shape>
}
interface Reference {
  readonly _tag: "Reference"
  readonly definition: Definition
}

type Kind = Primitive | Literals | List | Tuple | Struct | RecordOf | Union | Reference
export type Shape = Common & Kind
export type StructShape = Common & Struct

/** A schema with a name of its own. */
export interface Definition {
  /** What it would like to be called. */
  readonly wanted: string
  /** Its name in `$defs`, where it has one. */
  readonly identifier: string | undefined
  /** Where it stands, and its schema: the same for those that are written as the same code, but for what they name. */
  readonly source: string
  readonly notes: ReadonlyArray<string>
  readonly shape: Shape
}

/** A shape of which nothing more is said. */
export const plain = (kind: Kind): Shape => ({ ...kind, said: {}, checks: [] })

export const primitive = (name: PrimitiveName): Shape => plain({ _tag: "Primitive", name })

/** Any JSON object. */
export const anyObject: Shape = plain({ _tag: "Record", value: primitive("Json") })

/** Whether the printed schema of a shape has `type: "object"` at its root. */
export const isObjectShape = (shape: Shape): boolean =>
  shape._tag === "Struct" ||
  shape._tag === "Record" ||
  (shape._tag === "Reference" && isObjectShape(shape.definition.shape))

/** Whether every value of a shape is an object. */
export const holdsObjects = (shape: Shape, passed = new Set<Definition>()): boolean => {
  if (shape._tag === "Union") return shape.members.every((member) => holdsObjects(member, passed))
  if (shape._tag !== "Reference") return isObjectShape(shape)
  if (passed.has(shape.definition)) return true
  passed.add(shape.definition)
  return holdsObjects(shape.definition.shape, passed)
}

/** The shapes inside a shape. */
export const partsOf = (shape: Shape): ReadonlyArray<Shape> => {
  switch (shape._tag) {
    case "List":
      return [shape.item]
    case "Tuple":
      return [...shape.items.map((item) => item.shape), ...(shape.rest === undefined ? [] : [shape.rest])]
    case "Struct":
      return shape.fields.map((field) => field.shape)
    case "Record":
      return [shape.value]
    case "Union":
      return shape.members
    default:
      return []
  }
}

/** The definitions that a shape names, in order, each once. */
export const namedIn = (shape: Shape): ReadonlyArray<Definition> => [
  ...new Set(shape._tag === "Reference" ? [shape.definition] : partsOf(shape).flatMap(namedIn))
]

const primitives: { readonly [Name in PrimitiveName]: (value: Json) => boolean } = {
  Unknown: () => true,
  Json: () => true,
  Never: () => false,
  String: (value) => typeof value === "string",
  Finite: (value) => typeof value === "number",
  Int: Number.isSafeInteger,
  Boolean: (value) => typeof value === "boolean",
  Null: (value) => value === null
}

/** How many shapes are tried on one value: unions of unions have very many ways through. */
class Fuel {
  left = 10_000
}

const admitsStruct = ({ fields, open }: Struct, value: Json, fuel: Fuel): boolean => {
  if (!isRecord(value)) return false
  const known = new Set(fields.map(({ name }) => name))
  return (
    (open || Object.keys(value).every((key) => known.has(key))) &&
    fields.every(({ name, optional, shape }) =>
      Object.hasOwn(value, name) ? admits(shape, value[name] as Json, fuel) : optional
    )
  )
}

const admitsTuple = ({ items, rest }: Tuple, value: ReadonlyArray<Json>, fuel: Fuel): boolean =>
  items.every(({ optional }, index) => optional || index < value.length) &&
  value.every((item, index) => {
    const place = items[index]?.shape ?? rest
    return place !== undefined && admits(place, item, fuel)
  })

/**
 * Whether a value is of the TypeScript type that a shape is written as. Its checks are left aside, and where it takes
 * too long to find out, it is not.
 */
export const admits = (shape: Shape, value: Json, fuel = new Fuel()): boolean => {
  if (fuel.left-- <= 0) return false
  switch (shape._tag) {
    case "Primitive":
      return primitives[shape.name](value)
    case "Literals":
      return shape.values.some((one) => one === value)
    case "List":
      return Array.isArray(value) && value.every((item: Json) => admits(shape.item, item, fuel))
    case "Tuple":
      return Array.isArray(value) && admitsTuple(shape, value, fuel)
    case "Struct":
      return admitsStruct(shape, value, fuel)
    case "Record":
      return isRecord(value) && Object.values(value).every((member) => admits(shape.value, member as Json, fuel))
    case "Union":
      return shape.members.some((member) => admits(member, value, fuel))
    case "Reference":
      return admits(shape.definition.shape, value, fuel)
  }
}

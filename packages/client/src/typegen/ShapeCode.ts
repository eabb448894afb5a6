/**
 * A shape as the code of an Effect Schema, and as a TypeScript type.
 */
import type { JsonObject } from "@treadle/protocol/json"
import { call, entry, literal, method, pattern, propertyKey, sequence, table, text, type Code } from "./Code.ts"
import type { Check, Definition, Field, PrimitiveName, Shape } from "./Shape.ts"

/** How a definition is called where it is named. */
export interface Naming {
  readonly nameOf: (definition: Definition) => string
  /** Whether it may not be there yet when the code runs. */
  readonly isLater: (definition: Definition) => boolean
}

const checkCode = ({ name, value }: Check): Code =>
  value === undefined
    ? call(`Schema.${name}`)
    : call(`Schema.${name}`, typeof value === "string" ? pattern(value) : literal(value))

const withSaid = (code: Code, said: JsonObject): Code =>
  Object.keys(said).length === 0 ? code : method(code, "annotate", literal(said))

const isNull = (shape: Shape): boolean =>
  shape._tag === "Primitive" && shape.name === "Null" && Object.keys(shape.said).length === 0

const unionCode = (members: ReadonlyArray<Shape>, naming: Naming): Code => {
  const [first, second, ...others] = members
  return first !== undefined && second !== undefined && others.length === 0 && isNull(second)
    ? call("Schema.NullOr", shapeCode(first, naming))
    : call("Schema.Union", sequence(members.map((member) => shapeCode(member, naming))))
}

const referenceCode = (definition: Definition, { isLater, nameOf }: Naming): Code => {
  const name = nameOf(definition)
  return isLater(definition) ? `Schema.suspend((): Schema.Codec<${name}> => ${name})` : name
}

/** The members of an object as they stand in `Schema.Struct`. */
export const fieldsCode = (fields: ReadonlyArray<Field>, naming: Naming): Code =>
  table(
    fields.map(({ name, notes, optional, shape }) => {
      const code = shapeCode(shape, naming)
      return entry(propertyKey(name), optional ? call("Schema.optionalKey", code) : code, notes)
    })
  )

const kindCode = (shape: Shape, naming: Naming): Code => {
  switch (shape._tag) {
    case "Primitive":
      return `Schema.${shape.name}`
    case "Literals": {
      const [only = ""] = shape.values
      return shape.values.length === 1
        ? call("Schema.Literal", literal(only))
        : call("Schema.Literals", sequence(shape.values.map(literal)))
    }
    case "List":
      return call("Schema.Array", shapeCode(shape.item, naming))
    case "Tuple": {
      const items = shape.items.map(({ optional, shape: item }) => {
        const code = shapeCode(item, naming)
        return optional ? call("Schema.optionalKey", code) : code
      })
      const tuple = call("Schema.Tuple", sequence(items))
      return shape.rest === undefined
        ? tuple
        : call("Schema.TupleWithRest", tuple, sequence([shapeCode(shape.rest, naming)]))
    }
    case "Struct": {
      const struct = call("Schema.Struct", fieldsCode(shape.fields, naming))
      return shape.open
        ? call("Schema.StructWithRest", struct, sequence(["Schema.Record(Schema.String, Schema.Unknown)"]))
        : struct
    }
    case "Record":
      return call("Schema.Record", "Schema.String", shapeCode(shape.value, naming))
    case "Union":
      return unionCode(shape.members, naming)
    case "Reference":
      return referenceCode(shape.definition, naming)
  }
}

/** A shape as a schema; `said` may be replaced, where a part of it is said elsewhere. */
export const shapeCode = (shape: Shape, naming: Naming, said: JsonObject = shape.said): Code => {
  const code = kindCode(shape, naming)
  return withSaid(shape.checks.length === 0 ? code : method(code, "check", ...shape.checks.map(checkCode)), said)
}

const argumentCode = ({ optional, shape }: Field, naming: Naming): Code => {
  if (!optional) return shapeCode(shape, naming)
  const { default: fallback, description, ...said } = shape.said
  const schema = shapeCode(shape, naming, said)
  const words = typeof description === "string" ? [text(description)] : []
  return fallback === undefined
    ? call("Arg.optional", schema, ...words)
    : call("Arg.withDefault", schema, literal(fallback), ...words)
}

/** The arguments of a tool: what has a default is there for whoever reads them. */
export const argumentsCode = (fields: ReadonlyArray<Field>, naming: Naming): Code =>
  table(fields.map((field) => entry(propertyKey(field.name), argumentCode(field, naming), field.notes)))

const typeTexts: { readonly [Name in PrimitiveName]: string } = {
  Unknown: "unknown",
  Json: "Schema.Json",
  Never: "never",
  String: "string",
  Finite: "number",
  Int: "number",
  Boolean: "boolean",
  Null: "null"
}

/** A type of its own beside `?`, which would else be read as a part of it. */
const closed = (shape: Shape, naming: Naming, depth: number): string => {
  const type = shapeType(shape, naming, depth)
  return shape._tag === "Union" || shape._tag === "Literals" || shape._tag === "Struct" ? `(${type})` : type
}

const longestType = 100

const structType = (fields: ReadonlyArray<Field>, naming: Naming, depth: number): string => {
  const members = fields.map(
    ({ name, optional, shape }) =>
      `readonly ${propertyKey(name)}${optional ? "?" : ""}: ${shapeType(shape, naming, depth + 1)}`
  )
  const short = members.join("; ")
  if (short.length <= longestType && !short.includes("\n")) return `{ ${short} }`
  const indent = "  ".repeat(depth)
  return `{\n${members.map((member) => `${indent}  ${member}\n`).join("")}${indent}}`
}

/** A shape as a type. */
export const shapeType = (shape: Shape, naming: Naming, depth = 0): string => {
  switch (shape._tag) {
    case "Primitive":
      return typeTexts[shape.name]
    case "Literals":
      return shape.values.map((value) => (typeof value === "string" ? text(value) : String(value))).join(" | ")
    case "List":
      return `ReadonlyArray<${shapeType(shape.item, naming, depth)}>`
    case "Tuple": {
      const items = shape.items.map(({ optional, shape: item }) =>
        optional ? `${closed(item, naming, depth)}?` : shapeType(item, naming, depth)
      )
      const rest = shape.rest === undefined ? [] : [`...ReadonlyArray<${shapeType(shape.rest, naming, depth)}>`]
      return `readonly [${[...items, ...rest].join(", ")}]`
    }
    case "Struct":
      return `${structType(shape.fields, naming, depth)}${shape.open ? " & { readonly [x: string]: unknown }" : ""}`
    case "Record":
      return `{ readonly [x: string]: ${shapeType(shape.value, naming, depth)} }`
    case "Union":
      return shape.members.map((member) => shapeType(member, naming, depth)).join(" | ")
    case "Reference":
      return naming.nameOf(shape.definition)
  }
}

/**
 * Reads a JSON Schema that says one type: its members, items and bounds.
 */
import { isJsonObject, own, type Json, type JsonObject } from "@treadle/protocol/json"
import {
  admits,
  plain,
  primitive,
  type Check,
  type Field,
  type PrimitiveName,
  type Scalar,
  type Shape
} from "./Shape.ts"

/** What reading one schema needs of the document that it stands in. */
export interface Reading {
  /** Reads a schema inside this one: where it stands, as a JSON pointer has it, and what people call that place. */
  readonly inside: (node: Json, tokens: ReadonlyArray<string>, place: string) => Shape
  /** Reads a member of an object. */
  readonly member: (node: Json, name: string, optional: boolean) => Field
  /** Says what was not understood. */
  readonly note: (message: string) => void
  /** Whether values may be tested against the server's own regular expressions. */
  readonly runsPatterns: boolean
}

/** The types of JSON Schema. */
const typeNames = ["null", "boolean", "integer", "number", "string", "array", "object"] as const
export type TypeName = (typeof typeNames)[number]

export const isTypeName = (name: unknown): name is TypeName => typeNames.some((one) => one === name)

/** The keywords of each type that no schema of a contract checks. */
const unchecked: { readonly [Type in TypeName]: ReadonlyArray<string> } = {
  null: [],
  boolean: [],
  integer: [],
  number: [],
  string: [],
  array: ["contains", "minContains", "maxContains", "unevaluatedItems"],
  object: [
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties"
  ]
}

/** The keywords by which a schema shows what it is about where it does not say its type. */
const telling: ReadonlyArray<readonly [TypeName, ReadonlyArray<string>]> = [
  ["object", ["properties", "additionalProperties", "required", "patternProperties", "propertyNames", "minProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]],
  ["string", ["pattern", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]]
]

/** The type that the keywords of a schema are about. */
export const toldType = (node: JsonObject): TypeName | undefined =>
  telling.find(([, keys]) => keys.some((key) => Object.hasOwn(node, key)))?.[0]

const numberRules = {
  minimum: "isGreaterThanOrEqualTo",
  exclusiveMinimum: "isGreaterThan",
  maximum: "isLessThanOrEqualTo",
  exclusiveMaximum: "isLessThan",
  multipleOf: "isMultipleOf"
}
const stringRules = { minLength: "isMinCodePoints", maxLength: "isMaxCodePoints" }
const listRules = { minItems: "isMinLength", maxItems: "isMaxLength" }
const recordRules = { minProperties: "isMinProperties", maxProperties: "isMaxProperties" }

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isRule = (key: string, value: unknown): value is number =>
  key.endsWith("imum") ? typeof value === "number" : key === "multipleOf" ? Number(value) > 0 : isCount(value)

/** The bounds of a schema as checks. */
const checksOf = (
  node: JsonObject,
  rules: { readonly [key: string]: string },
  { note }: Reading
): ReadonlyArray<Check> =>
  Object.entries(rules).flatMap(([key, name]) => {
    const value = own(node, key)
    if (value === undefined) return []
    if (isRule(key, value)) return [{ name, value }]
    note(`"${key}" is not checked: its value is none that JSON Schema allows`)
    return []
  })

const patternCheck = (node: JsonObject, { note, runsPatterns }: Reading): ReadonlyArray<Check> => {
  const source = own(node, "pattern")
  if (source === undefined) return []
  if (!runsPatterns) {
    note(`"pattern" is not checked: the server chooses both the expression and the text`)
    return []
  }
  try {
    return [{ name: "isPattern", value: new RegExp(String(source), "u").source }]
  } catch {
    note(`"pattern" is not checked: it is no regular expression with the u flag`)
    return []
  }
}

const uniqueCheck = (node: JsonObject): ReadonlyArray<Check> =>
  own(node, "uniqueItems") === true ? [{ name: "isUnique" }] : []

const readTuple = (node: JsonObject, given: ReadonlyArray<Json>, key: string, reading: Reading): Shape => {
  const least = isCount(own(node, "minItems")) ? Number(node["minItems"]) : 0
  const most = isCount(own(node, "maxItems")) ? Number(node["maxItems"]) : Infinity
  const items = given.slice(0, most).map((item, index) => ({
    shape: reading.inside(item, [key, String(index)], `[${index}]`),
    optional: index >= least
  }))
  const others = own(node, key === "items" ? "additionalItems" : "items") as Json | undefined
  const closed = others === false || most <= given.length
  const rest = closed ? undefined : others === undefined ? primitive("Json") : reading.inside(others, ["items"], "[]")
  const bounds = checksOf(node, listRules, reading).filter(({ name, value }) =>
    name === "isMinLength" ? Number(value) > items.length : Number(value) > items.length && rest !== undefined
  )
  return { ...plain({ _tag: "Tuple", items, rest }), checks: [...bounds, ...uniqueCheck(node)] }
}

const readArray = (node: JsonObject, reading: Reading): Shape => {
  const prefix = own(node, "prefixItems")
  if (Array.isArray(prefix) && prefix.length > 0) return readTuple(node, prefix, "prefixItems", reading)
  const items = own(node, "items") as Json | undefined
  if (Array.isArray(items)) return readTuple(node, items, "items", reading)
  const item = items === undefined ? primitive("Json") : reading.inside(items, ["items"], "[]")
  return {
    ...plain({ _tag: "List", item }),
    checks: [...checksOf(node, listRules, reading), ...uniqueCheck(node)]
  }
}

const requiredNames = (node: JsonObject): ReadonlySet<string> => {
  const required = own(node, "required")
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : [])
}

/** The members of an object. One that every JavaScript object inherits cannot be told from one that is left out. */
const readFields = (node: JsonObject, reading: Reading): ReadonlyArray<Field> => {
  const properties = own(node, "properties")
  const required = requiredNames(node)
  const named = new Map(Object.entries(isJsonObject(properties) ? properties : {}))
  for (const name of required) if (!named.has(name)) named.set(name, true)
  return [...named].flatMap(([name, member]) => {
    if (!required.has(name) && name in Object.prototype) {
      reading.note(`the member ${JSON.stringify(name)} is left out: every JavaScript object has one of this name`)
      return []
    }
    return [reading.member(member, name, !required.has(name))]
  })
}

/** Whether any value fits a schema. */
export const isAnything = (schema: unknown): boolean =>
  schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0)

const readObject = (node: JsonObject, reading: Reading): Shape => {
  const fields = readFields(node, reading)
  const others = own(node, "additionalProperties") as Json | undefined
  const patterns = Object.hasOwn(node, "patternProperties")
  if (fields.length > 0) {
    const open = patterns || (others !== undefined && others !== false)
    if (open && !patterns && !isAnything(others)) reading.note(`"additionalProperties" is read as anything`)
    for (const key of Object.keys(recordRules)) if (Object.hasOwn(node, key)) reading.note(`"${key}" is not checked`)
    return plain({ _tag: "Struct", fields, open })
  }
  const value =
    others === undefined || patterns ? primitive("Json") : reading.inside(others, ["additionalProperties"], "[]")
  return { ...plain({ _tag: "Record", value }), checks: checksOf(node, recordRules, reading) }
}

const simple = (name: PrimitiveName, checks: ReadonlyArray<Check> = []): Shape => ({ ...primitive(name), checks })

/** The values of one type that an `enum` or a `const` lists, or `undefined` where there is neither. */
const listed = (node: JsonObject): ReadonlyArray<unknown> | undefined => {
  const only = own(node, "const")
  const several = own(node, "enum")
  return only !== undefined ? [only] : Array.isArray(several) ? several : undefined
}

const isScalar = (value: unknown): value is Scalar => ["string", "number", "boolean"].includes(typeof value)

/** What an `enum` or a `const` lists, or `undefined` where there is neither; `null` stands beside the literals. */
export const readListed = (node: JsonObject, types: ReadonlyArray<TypeName>, reading: Reading): Shape | undefined => {
  const values = listed(node)
  if (values === undefined) return undefined
  const fits = (value: unknown) =>
    types.length === 0 || types.some((type) => admits(primitive(primitiveOf[type]), value as Json))
  const scalars = [...new Set(values.filter(isScalar).filter(fits))]
  const literals = scalars.length === 0 ? [] : [plain({ _tag: "Literals", values: scalars })]
  const nothing = values.includes(null) && fits(null) ? [primitive("Null")] : []
  const members = [...literals, ...nothing]
  if (members.length === 0 || values.some((value) => typeof value === "object" && value !== null)) {
    reading.note(`"${Object.hasOwn(node, "const") ? "const" : "enum"}" is not understood: it is no list of scalars`)
    return primitive("Unknown")
  }
  return members.length === 1 ? members[0] : plain({ _tag: "Union", members })
}

const primitiveOf: { readonly [Type in TypeName]: PrimitiveName } = {
  null: "Null",
  boolean: "Boolean",
  integer: "Finite",
  number: "Finite",
  string: "String",
  array: "Never",
  object: "Never"
}

/** Reads a schema as one of this type. */
export const readType = (type: TypeName, node: JsonObject, reading: Reading): Shape => {
  for (const key of unchecked[type]) if (Object.hasOwn(node, key)) reading.note(`"${key}" is not checked`)
  switch (type) {
    case "null":
      return simple("Null")
    case "boolean":
      return simple("Boolean")
    case "integer":
      return simple("Int", checksOf(node, numberRules, reading))
    case "number":
      return simple("Finite", checksOf(node, numberRules, reading))
    case "string":
      return simple("String", [...checksOf(node, stringRules, reading), ...patternCheck(node, reading)])
    case "array":
      return readArray(node, reading)
    case "object":
      return readObject(node, reading)
  }
}

/**
 * What values look like as the text of a path or a query, and back. A value is JSON to the operation whatever way it
 * came, so the JSON Schema of the input decides what a text means. Pure.
 */
import { isJsonObject, own, type Json, type JsonObject } from "@treadle/protocol/json"

/** What a schema admits. */
export interface TextForm {
  /** Whether any text is a value. */
  readonly text: boolean
  /** Texts that are values, where not any is. */
  readonly words: ReadonlySet<string>
  readonly number: boolean
  readonly boolean: boolean
  readonly nothing: boolean
  /** What the items of a list are. */
  readonly item: TextForm | undefined
  /** What it admits that no text can say. */
  readonly beyond: ReadonlyArray<string>
}

const no: TextForm = {
  text: false,
  words: new Set(),
  number: false,
  boolean: false,
  nothing: false,
  item: undefined,
  beyond: []
}

/** How deep a schema is looked into. */
const maxDepth = 16

const beyond = (what: string): TextForm => ({ ...no, beyond: [what] })

const either = (left: TextForm, right: TextForm): TextForm => ({
  text: left.text || right.text,
  words: new Set([...left.words, ...right.words]),
  number: left.number || right.number,
  boolean: left.boolean || right.boolean,
  nothing: left.nothing || right.nothing,
  item: left.item === undefined ? right.item : right.item === undefined ? left.item : either(left.item, right.item),
  beyond: [...new Set([...left.beyond, ...right.beyond])]
})

const ofLiteral = (value: Json): TextForm => {
  switch (typeof value) {
    case "string":
      return { ...no, words: new Set([value]) }
    case "number":
      return { ...no, number: true }
    case "boolean":
      return { ...no, boolean: true }
    default:
      return value === null ? { ...no, nothing: true } : beyond(Array.isArray(value) ? "a fixed list" : "an object")
  }
}

/** A name as a reference in a URI fragment spells it (RFC 6901 section 6); `undefined` where it spells none. */
const nameOf = (spelled: string): string | undefined => {
  try {
    return decodeURIComponent(spelled).replaceAll("~1", "/").replaceAll("~0", "~")
  } catch {
    return undefined
  }
}

/** What a reference refers to; anything, where it leads nowhere. */
export const resolved = (schema: Json, root: JsonObject): Json => {
  const reference = own(schema, "$ref")
  if (typeof reference !== "string") return schema
  const [, table, spelled] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? []
  if (table === undefined || spelled === undefined) return true
  const name = nameOf(spelled)
  return name === undefined ? true : ((own(own(root, table), name) ?? true) as Json)
}

const ofType = (type: Json, schema: JsonObject, root: JsonObject, depth: number): TextForm => {
  switch (type) {
    case "string":
      return { ...no, text: true }
    case "number":
    case "integer":
      return { ...no, number: true }
    case "boolean":
      return { ...no, boolean: true }
    case "null":
      return { ...no, nothing: true }
    case "array": {
      if (schema["prefixItems"] !== undefined) return beyond("a list whose places differ")
      return { ...no, item: formOf(schema["items"] ?? true, root, depth + 1) }
    }
    default:
      return beyond("an object")
  }
}

/** What a schema admits, inside the schema that its references are about. */
export const formOf = (schema: Json, root: JsonObject, depth = 0): TextForm => {
  if (depth > maxDepth) return beyond("a value without end")
  if (!isJsonObject(schema)) return beyond("any value")
  if (schema["$ref"] !== undefined) return formOf(resolved(schema, root), root, depth + 1)
  const all = (schemas: ReadonlyArray<Json>) => schemas.map((one) => formOf(one, root, depth + 1)).reduce(either, no)
  const { const: only, enum: values, type } = schema
  if (only !== undefined) return ofLiteral(only)
  if (Array.isArray(values)) return values.map(ofLiteral).reduce(either, no)
  if (type !== undefined) {
    const types = Array.isArray(type) ? type : [type]
    return types.map((one) => ofType(one, schema, root, depth)).reduce(either, no)
  }
  const branches = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(branches)) return all(branches)
  const parts = schema["allOf"]
  if (!Array.isArray(parts)) return beyond("any value")
  // Every part holds, so one that says less than "any value" says what the whole is.
  return (
    parts.map((part) => formOf(part, root, depth + 1)).find((one) => !one.beyond.includes("any value")) ??
    beyond("any value")
  )
}

const numeric = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const numberOf = (text: string): number | undefined => {
  const value = numeric.test(text) ? Number(text) : undefined
  return value !== undefined && Number.isFinite(value) ? value : undefined
}

/** What a text could also be, beside the text itself. */
const otherwise = (form: TextForm): ReadonlyArray<string> => [
  ...(form.number ? ["a number"] : []),
  ...(form.boolean ? ["true or false"] : []),
  ...(form.nothing ? ["null"] : [])
]

const meansMore = (form: TextForm, word: string): boolean =>
  (form.number && numberOf(word) !== undefined) ||
  (form.boolean && (word === "true" || word === "false")) ||
  (form.nothing && word === "null")

/** Why a value of one place cannot be told by text. */
const oneProblem = (form: TextForm): string | undefined => {
  const [unsaid] = form.beyond
  if (unsaid !== undefined) return `may be ${unsaid}, which text does not say`
  const others = otherwise(form)
  if (form.text && others.length > 0) return `may be text or ${others.join(" or ")}, which text does not tell apart`
  const word = [...form.words].find((one) => meansMore(form, one))
  return word === undefined
    ? undefined
    : `may be the text ${JSON.stringify(word)} or the value, which text does not tell apart`
}

const isScalar = (form: TextForm): boolean =>
  form.text || form.words.size > 0 || form.number || form.boolean || form.nothing

/** Why values of a form cannot be a part of a path. */
export const pathProblem = (form: TextForm): string | undefined =>
  form.item === undefined ? oneProblem(form) : "may be a list, and a path holds one value in each of its parts"

/** Why values of a form cannot be in a query. */
export const queryProblem = (form: TextForm): string | undefined => {
  const { item } = form
  if (item === undefined) return oneProblem(form)
  if (isScalar(form)) return "may be a list or one value, which a query does not tell apart"
  if (item.item !== undefined) return "may be a list of lists, which a query does not say"
  return oneProblem(form) ?? oneProblem(item)
}

const read = (form: TextForm, text: string): Json => {
  if (form.text || form.words.has(text)) return text
  if (form.nothing && text === "null") return null
  if (form.boolean && (text === "true" || text === "false")) return text === "true"
  return (form.number ? numberOf(text) : undefined) ?? text
}

/**
 * The JSON that texts stand for. What is none of the values that are admitted stays text, so that the schema says what
 * is wrong with it.
 */
export const fromTexts = (form: TextForm, texts: ReadonlyArray<string>): Json => {
  const { item } = form
  if (item !== undefined) return texts.map((text) => read(item, text))
  const [only = ""] = texts
  return texts.length === 1 ? read(form, only) : texts
}

/** The texts that JSON is told by. */
export const toTexts = (json: Json): string | ReadonlyArray<string> =>
  Array.isArray(json) ? json.map((item) => String(item)) : String(json)

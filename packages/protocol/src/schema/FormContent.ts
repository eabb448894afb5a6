/**
 * What a person filled in, checked against the form before it is sent: fields that are left out get their defaults, and
 * everything that does not fit is named (ELIC-06).
 */
import * as Result from "effect/Result"
import { own, type Misfit } from "../json/index.ts"
import type { ElicitResult, FormField, FormSchema } from "./Elicitation.ts"

/** The content of an accepted form. */
export type FormContent = NonNullable<ElicitResult["content"]>

const patterns: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/u,
  date: /^\d{4}-\d{2}-\d{2}$/,
  "date-time": /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/
}

/** Whether a text has a format; a format that forms do not know says nothing. */
const hasFormat = (text: string, format: string): boolean => {
  if (format === "uri") return URL.canParse(text)
  const pattern = patterns[format]
  return pattern === undefined || (pattern.test(text) && !Number.isNaN(Date.parse(format === "email" ? "0" : text)))
}

const one = (value: unknown, choices: ReadonlyArray<string>): string | undefined =>
  typeof value === "string" && choices.includes(value) ? undefined : `it must be one of ${choices.join(", ")}`

const within = (size: number, least: number | undefined, most: number | undefined, what: string) =>
  (least !== undefined && size < least) || (most !== undefined && size > most)
    ? `it must have ${least ?? 0} to ${most ?? "any number of"} ${what}`
    : undefined

const textProblem = (value: unknown, field: Extract<FormField, { readonly type: "string" }>): string | undefined => {
  if ("oneOf" in field && field.oneOf !== undefined)
    return one(
      value,
      field.oneOf.map((choice) => choice.const)
    )
  if ("enum" in field && field.enum !== undefined) return one(value, field.enum)
  if (typeof value !== "string") return "it must be text"
  const { format, maxLength, minLength } = field as { format?: string; maxLength?: number; minLength?: number }
  if (format !== undefined && !hasFormat(value, format)) return `it must be of the format ${format}`
  return within([...value].length, minLength, maxLength, "characters")
}

const listProblem = (value: unknown, field: Extract<FormField, { readonly type: "array" }>): string | undefined => {
  if (!Array.isArray(value)) return "it must be a list"
  const { items } = field
  const choices = "anyOf" in items ? items.anyOf.map((choice) => choice.const) : items.enum
  const stranger = value.map((item) => one(item, choices)).find((problem) => problem !== undefined)
  return stranger ?? within(value.length, field.minItems, field.maxItems, "items")
}

/** What is wrong with the value of a field, if anything. */
const problemOf = (value: unknown, field: FormField): string | undefined => {
  switch (field.type) {
    case "string":
      return textProblem(value, field)
    case "array":
      return listProblem(value, field)
    case "boolean":
      return typeof value === "boolean" ? undefined : "it must be true or false"
    default: {
      if (typeof value !== "number" || !Number.isFinite(value)) return "it must be a number"
      if (field.type === "integer" && !Number.isInteger(value)) return "it must be a whole number"
      const { maximum = Infinity, minimum = -Infinity } = field
      return value < minimum || value > maximum ? `it must be from ${minimum} to ${maximum}` : undefined
    }
  }
}

/**
 * The content to send for a form.
 *
 * @param schema the form
 * @param content what was filled in; members that the form does not have are left out
 *
 * @example
 * ```ts
 * import { fillForm } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 *
 * const form = { type: "object", properties: { seats: { type: "integer", default: 2 } } } as const
 * fillForm(form, {}) // => Result.succeed({ seats: 2 })
 * ```
 */
export const fillForm = (schema: FormSchema, content: FormContent): Result.Result<FormContent, Misfit> => {
  const problems: Array<string> = []
  const filled: Array<readonly [string, FormContent[string]]> = []
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = (own(content, name) ?? field.default) as FormContent[string] | undefined
    if (value === undefined) {
      if (schema.required?.includes(name) === true) problems.push(`${name}: it is required`)
      continue
    }
    const problem = problemOf(value, field)
    if (problem === undefined) filled.push([name, value])
    else problems.push(`${name}: ${problem}`)
  }
  return problems.length > 0 ? Result.fail({ problems }) : Result.succeed(Object.fromEntries(filled))
}

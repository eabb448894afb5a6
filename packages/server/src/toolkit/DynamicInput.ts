/**
 * The parameters of a dynamic tool, which are JSON Schema: published as written, and checked against it. Its handler gets
 * the arguments as they came.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import type { Standard } from "@treadle/protocol/endpoint"
import { isJsonObject, schemaProblems, problemOptions } from "@treadle/protocol/json"

const draft07 = /draft-0[67]/

/** The schema of Effect that checks what a JSON Schema says. @throws where it says what Effect cannot check */
const checking = (schema: JsonSchema.JsonSchema): Schema.Top => {
  const { $schema } = schema
  const document =
    typeof $schema === "string" && draft07.test($schema)
      ? JsonSchema.fromSchemaDraft07(schema)
      : JsonSchema.fromSchemaDraft2020_12(schema)
  return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" })
}

const standard = (printed: JsonSchema.JsonSchema, problemsOf: (value: unknown) => ReadonlyArray<string>): Standard => {
  const published = (): Record<string, unknown> => printed
  return {
    "~standard": {
      version: 1,
      vendor: "treadle",
      jsonSchema: { input: published, output: published },
      validate: (value) => {
        const problems = problemsOf(value)
        return problems.length === 0 ? { value } : { issues: problems.map((message) => ({ message })) }
      }
    }
  }
}

/** Any object. */
export const anyArguments: Standard = standard({ type: "object" }, (value) =>
  isJsonObject(value) ? [] : ["Expected object"]
)

/**
 * The input of a tool whose parameters are a JSON Schema.
 *
 * @returns the input, or why Effect cannot check what the schema says
 */
export const dynamicInput = (schema: JsonSchema.JsonSchema): Result.Result<Standard, string> =>
  Result.try({
    try: () => {
      const decode = Schema.decodeUnknownResult(checking(schema) as Schema.Codec<unknown>)
      return standard(schema, (value) => {
        const decoded = decode(value, problemOptions(value))
        return Result.isSuccess(decoded) ? [] : schemaProblems(decoded.failure.issue)
      })
    },
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })

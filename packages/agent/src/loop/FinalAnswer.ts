/**
 * The answer of a run: text, or JSON of an agreed form that is checked.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toolShape } from "@treadle/protocol/endpoint"
import { isJsonObject, parseJson, type Json, type JsonObject, type Misfit } from "@treadle/protocol/json"
import type { AnswerDef } from "../AgentDefinition.ts"

/** The form of an answer. */
export interface AnswerForm {
  /** Its JSON Schema. */
  readonly schema: JsonObject
  readonly decode: (json: unknown) => Effect.Effect<unknown, Misfit>
  /** The JSON of an answer that was decoded. */
  readonly encode: (answer: unknown) => Effect.Effect<Json, Misfit>
}

/** The form that a schema gives. What the schema refers to goes with it. */
export const answerForm = (schema: AnswerDef<unknown>): AnswerForm => {
  if (!Schema.isSchema(schema)) return toolShape({ input: schema }).input
  const struct = Schema.Struct({ answer: schema as Schema.Codec<unknown> })
  const { input, inputSchema } = toolShape({ input: struct })
  const { properties, type: _, required: __, ...definitions } = inputSchema
  const own = isJsonObject(properties) && isJsonObject(properties["answer"]) ? properties["answer"] : {}
  return {
    schema: { ...own, ...definitions },
    decode: (json) => Effect.map(input.decode({ answer: json }), (decoded) => (decoded as { answer: unknown }).answer),
    encode: (answer) => Effect.map(input.encode({ answer }), (json) => (json as { answer: Json }).answer)
  }
}

/** What stands in the only fence of code of a text; models like to write words around it. */
const fenced = (text: string): string | undefined => {
  const lines = text.split("\n")
  const fences = lines.flatMap((line, at) => (line.trim().startsWith("```") ? [at] : []))
  return fences.length === 2 ? lines.slice((fences[0] ?? 0) + 1, fences[1]).join("\n") : undefined
}

/** The answer in a text: its JSON, alone or in a fence of code, or the text itself where a text is what was agreed. */
export const answerInText = (form: AnswerForm, text: string): Effect.Effect<unknown, Misfit> => {
  const json = parseJson(fenced(text) ?? text)
  const read = json === undefined ? Effect.fail({ problems: ["it is not JSON"] }) : form.decode(json)
  return Effect.catch(read, (misfit) => Effect.mapError(form.decode(text.trim()), () => misfit))
}

/** The answer that a call gives: a value, or the text of one. */
export const givenAnswer = (form: AnswerForm, answer: unknown): Effect.Effect<unknown, Misfit> =>
  typeof answer === "string"
    ? Effect.catch(form.decode(answer), (misfit) => Effect.mapError(answerInText(form, answer), () => misfit))
    : form.decode(answer)

/** What the model is told of an answer that is not of its form. */
export const askAgain = ({ problems }: Misfit): string =>
  `The answer is not of the agreed form: ${problems.join("; ")}. Give it once more, as JSON alone.`

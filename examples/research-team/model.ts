/**
 * The model of the team: a script, or the endpoint that the environment names.
 *
 * `MODEL_URL` and `MODEL_NAME` say where it is, `MODEL_WIRE=anthropic` that it speaks Anthropic's messages, and `MODEL_KEY`
 * holds its key.
 */
import { Anthropic, Intelligence, OpenAiCompat } from "@treadle/agent/model"
import { NodeSecrets } from "@treadle/agent/node"
import type { LanguageModel } from "effect/ai/LanguageModel"
import * as Layer from "effect/Layer"
import { scripted } from "./script.ts"
import type { Role } from "./team.ts"

type Environment = { readonly [name: string]: string | undefined }

export const isConfigured = (env: Environment): boolean => (env["MODEL_URL"] ?? "") !== ""

/** The model that the environment names, tried again where it fails in passing. */
const endpoint = (env: Environment) => {
  const { MODEL_KEY, MODEL_NAME = "default", MODEL_URL = "", MODEL_WIRE } = env
  const key = MODEL_KEY === undefined ? {} : { key: "{{secret:MODEL_KEY}}" as const }
  const settings = { url: MODEL_URL, model: MODEL_NAME, ...key }
  const model = MODEL_WIRE === "anthropic" ? Anthropic.layer(settings) : OpenAiCompat.layer(settings)
  return model.pipe(Intelligence.retry(), Layer.provide(NodeSecrets.layer({ env })))
}

export const modelsOf = (env: Environment): ((role: Role) => Layer.Layer<LanguageModel, unknown>) => {
  if (!isConfigured(env)) return scripted
  const model = endpoint(env)
  return () => model
}

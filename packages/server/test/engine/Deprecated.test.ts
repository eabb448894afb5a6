/**
 * What is deprecated: served in both eras as before, and warned of once for each served thing.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { Ask, CurrentCall, type Call, type McpBuildErrors } from "../../src/index.ts"
import { compatAsker, nativeAsker, type Asker } from "../fixtures/askers.ts"
import { empty } from "../fixtures/calling.ts"

const plain = { description: "Tested" }
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hello" } }]
const sampling = (more: object) => Ask.sample({ messages, maxTokens: 10, ...more })
const answerFor = (method: string) =>
  method === "roots/list" ? { roots: [] } : { role: "assistant", content: messages[0]?.content, model: "m" }

const told = async (_: unknown, { log, progress }: Call<unknown, never>) => {
  log("error", "x")
  progress(1)
  return "told"
}

const mcp = empty()
  .tool("roots", plain, () => Effect.as(CurrentCall.ask("q", Ask.roots()), "x"))
  .tool("sampling", plain, async (_, { ask }) => (await ask("q", sampling({ includeContext: "none" }))).model)
  .tool(
    "includeContext",
    plain,
    async (_, { ask }) => (await ask("q", sampling({ includeContext: "thisServer" }))).model
  )
  .tool("logging", plain, () => Effect.as(CurrentCall.log("error", "x"), "x"))
  .tool("log", plain, told)
  .tool("progress", plain, () => Effect.as(CurrentCall.progress(1), "x"))

const able = { sampling: { context: {} }, roots: {} }

const asksRoots = "asks for roots. Take folders as arguments instead."
const asksModel = "asks for sampling. Call a model of your own instead."
const asksContext = "asks for sampling with includeContext. Put what the model needs into the messages."
const logs = "sends log messages to its client. Log on the server, and tell the client in the result."

const rows: ReadonlyArray<readonly [tool: string, warnings: ReadonlyArray<string>]> = [
  ["roots", [asksRoots]],
  ["sampling", [asksModel]],
  ["includeContext", [asksModel, asksContext]],
  ["logging", [logs]],
  ["log", [logs]],
  ["progress", []]
]

describe("what is deprecated", () => {
  const askers: ReadonlyArray<readonly [era: string, Effect.Effect<Asker, McpBuildErrors, Scope.Scope>]> = [
    ["native", nativeAsker(mcp, answerFor, undefined, able)],
    ["compat", compatAsker(mcp, answerFor, undefined, able)]
  ]
  for (const [era, asker] of askers) {
    it.effect.each(rows)(`DEPR-02: %s is warned of once for each served thing, in the ${era} era`, ([tool, expected]) =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.make(({ message }) => void lines.push(String(message)))
        const warned = () => lines.splice(0).filter((line) => line.includes("SEP-2577"))
        const due = " SEP-2577 deprecates it with 2026-07-28; earliest removal 2027-07-28."
        for (const _ of ["one", "another"]) {
          const { call } = yield* Effect.provide(asker, Logger.layer([logger]))
          for (const _ of ["first", "second"]) assert.isUndefined((yield* call(tool)).answer["error"])
          assert.deepStrictEqual(
            warned(),
            expected.map((line) => `${tool} ${line}${due}`)
          )
        }
      })
    )
  }
})

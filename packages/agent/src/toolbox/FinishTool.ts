/**
 * Ending a run on purpose: with an answer, or by declining.
 */
import * as Effect from "effect/Effect"
import type { JsonObject } from "@treadle/protocol/json"
import { spoken } from "./Observation.ts"
import type { OwnTool } from "./OwnTool.ts"

/**
 * The tool that ends a run, once every call of its round has a result.
 *
 * @param answer the JSON Schema of the answer; text where none is given
 */
export const finishTool = (answer: JsonObject | undefined): OwnTool =>
  answer === undefined ? plain : finishWith(answer)

/** What an answer's schema refers to is found from the root of the tool's. */
const finishWith = ({ $defs, ...answer }: JsonObject): OwnTool => ({
  name: "finish",
  modelName: "finish",
  description:
    "Ends the task. Give the answer, or say refused: true with the reason as text when you will not do what was asked.",
  inputSchema: {
    type: "object",
    properties: {
      answer,
      refused: { type: "boolean", default: false },
      reason: { type: "string" }
    },
    ...($defs === undefined ? {} : { $defs })
  },
  run: (args) => {
    const refused = args["refused"] === true
    const said = Object.hasOwn(args, "answer") ? args["answer"] : args["reason"]
    return Effect.succeed({ ...spoken(refused ? "Declined." : "Done."), finish: { refused, answer: said } })
  }
})

/** The tool of all agents whose answer is text. */
const plain = finishWith({ type: "string" })

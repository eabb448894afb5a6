/**
 * A small server that many tests of agents share: guidelines that are searched and read.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Endpoint, Mcp } from "@treadle/server"

export const search = Endpoint.make("search", {
  description: "Search the guidelines",
  input: { query: Schema.String },
  output: Schema.Array(Schema.String)
})

export class RuleNotFound extends Schema.TaggedError<RuleNotFound>()("RuleNotFound", { number: Schema.Int }) {}

export const rule = Endpoint.make("rule", {
  description: "One rule by its number",
  input: { number: Schema.Int },
  output: Schema.Struct({ number: Schema.Int, text: Schema.String }),
  errors: RuleNotFound
})

export const note = Endpoint.make("note", { description: "Takes a note", input: { text: Schema.String } })

export const kb = Mcp.make({ name: "kb", version: "1.0.0" })
  .tool(search, ({ query }) => Effect.succeed([`Rule 7: no force pushes (${query})`]))
  .tool(rule, ({ number }) =>
    number === 7 ? Effect.succeed({ number, text: "No force pushes" }) : Effect.fail(new RuleNotFound({ number }))
  )
  .tool(note, ({ text }) => Effect.succeed(`noted: ${text}`))

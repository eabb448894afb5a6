/** A library of short sources, as a server. */
import { Endpoint, Mcp } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Source = Schema.Struct({ id: Schema.Int, title: Schema.String, year: Schema.Int })

const sources = [
  { id: 1, title: "Looms of the valley", year: 1898, text: "A treadle frees both hands: the feet raise the shafts." },
  { id: 2, title: "Weaving by hand", year: 1921, text: "With a treadle loom a weaver made twice the cloth in a day." },
  { id: 3, title: "Power in the mill", year: 1934, text: "Steam drove the mill looms; the treadle stayed in the home." }
]

export class SourceNotFound extends Schema.TaggedError<SourceNotFound>()("SourceNotFound", { id: Schema.Int }) {
  override get message() {
    return `There is no source ${this.id}.`
  }
}

export const findSources = Endpoint.make("find_sources", {
  description: "Sources whose title or text has a word",
  input: { word: Schema.String },
  output: Schema.Array(Source),
  hints: { readOnly: true, openWorld: false }
})

export const readSource = Endpoint.make("read_source", {
  description: "The text of one source",
  input: { id: Schema.Int },
  output: Schema.Struct({ id: Schema.Int, text: Schema.String }),
  errors: SourceNotFound,
  hints: { readOnly: true, openWorld: false }
})

export const library = Mcp.make({ name: "library", version: "1.0.0" })
  .tool(findSources, ({ word }) =>
    Effect.succeed(
      sources
        .filter(({ text, title }) => `${title} ${text}`.toLowerCase().includes(word.toLowerCase()))
        .map(({ id, title, year }) => ({ id, title, year }))
    )
  )
  .tool(readSource, ({ id }) => {
    const found = sources.find((source) => source.id === id)
    return found === undefined ? Effect.fail(new SourceNotFound({ id })) : Effect.succeed({ id, text: found.text })
  })

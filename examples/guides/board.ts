/** Resources: one of text, one of bytes, and a template with typed and completed variables. */
// #region resources
import { Arg, Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"

const shows = new Map([
  [1, { en: "Evening bill", de: "Abendprogramm" }],
  [12, { en: "Late bill", de: "Spätprogramm" }]
])

export const board = Mcp.make({ name: "board", version: "1.0.0" })
  .resource(
    { uri: "box-office://board", name: "board", description: "Tonight's shows", mimeType: "text/markdown" },
    async () => [...shows].map(([id, { en }]) => `- ${id}: ${en}`).join("\n")
  )
  .resource({ uri: "box-office://poster", name: "poster", mimeType: "image/png" }, async () =>
    Uint8Array.of(137, 80, 78, 71)
  )
  .template(
    {
      uriTemplate: "box-office://shows/{id}{?lang}",
      name: "show",
      variables: { id: Schema.FiniteFromString, lang: Arg.withDefault(Schema.Literals(["en", "de"]), "en") },
      complete: { id: (typed) => [...shows.keys()].map(String).filter((id) => id.startsWith(typed)) }
    },
    async ({ id, lang }) => shows.get(id)?.[lang]
  )
// #endregion

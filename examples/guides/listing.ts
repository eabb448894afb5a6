/** What a list says of an entry beside its name and its schemas. */
// #region listing
import { CurrentCall, Mcp } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const archive = Mcp.make({
  name: "archive",
  version: "1.0.0",
  title: "The archive",
  icons: [{ src: "https://box.example/archive.png", mimeType: "image/png", sizes: ["48x48"] }]
})
  .tool(
    "find_programme",
    {
      title: "Find a programme",
      description: "Finds a programme of former years",
      input: { region: Schema.String.annotate({ "x-mcp-header": "Region" }), year: Schema.Int },
      hints: { readOnly: true, openWorld: false },
      meta: { "com.example/shelf": 4 }
    },
    ({ region, year }) =>
      Effect.as(
        CurrentCall.publish("notifications/com.example/looked", Schema.Struct({ year: Schema.Int }), { year }),
        `${region}, ${year}: Evening bill`
      )
  )
  .resource(
    {
      uri: "archive://rules",
      name: "rules",
      description: "How to look things up",
      annotations: { audience: ["assistant"], priority: 0.9, lastModified: "2026-07-28T00:00:00Z" }
    },
    async () => "Ask for the year first."
  )
// #endregion

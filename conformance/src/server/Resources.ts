/**
 * Resources of text and of bytes, one that is watched, and a template. The suite asserts their URIs and contents.
 */
import * as Effect from "effect/Effect"
import { fromBase64 } from "@treadle/protocol/json"
import { Mcp } from "@treadle/server"
import { png } from "./ContentTools.ts"

export const resources = Mcp.make({ name: "resources", version: "1.0.0" })
  .resource(
    { uri: "test://static-text", name: "static text", description: "Text that stays", mimeType: "text/plain" },
    () => Effect.succeed("This is the content of the static text resource.")
  )
  .resource(
    { uri: "test://static-binary", name: "static binary", description: "An image", mimeType: "image/png" },
    () => Effect.succeed(fromBase64(png))
  )
  .resource(
    {
      uri: "test://watched-resource",
      name: "watched",
      description: "A resource to subscribe to",
      mimeType: "text/plain"
    },
    () => Effect.succeed("Nothing has changed yet.")
  )
  .template(
    {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data of an id",
      mimeType: "application/json"
    },
    ({ id }) => Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
  )

/**
 * Tools whose input schemas the suite reads back: every 2020-12 keyword as it was written, and an argument that a header
 * repeats.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"
import { Mcp } from "@treadle/server"

const contact = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

/** A Standard Schema written by hand: it publishes the document as it stands, and takes any object. */
const contactInput: { readonly "~standard": StandardSchemaV1.Props<object> & StandardJSONSchemaV1.Props<object> } = {
  "~standard": {
    version: 1,
    vendor: "conformance",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "Expected an object" }] },
    jsonSchema: { input: () => contact, output: () => contact }
  }
}

export const schemaTools = Mcp.make({ name: "schema tools", version: "1.0.0" })
  .tool("json_schema_2020_12_tool", { description: "Publishes many keywords", input: contactInput }, () =>
    Effect.succeed("The arguments were accepted.")
  )
  .tool(
    "test_x_mcp_header",
    {
      description: "Has an argument that a header repeats",
      input: { region: Schema.String.annotate({ "x-mcp-header": "Region" }) }
    },
    ({ region }) => Effect.succeed(`The region is ${region}.`)
  )

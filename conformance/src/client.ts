/**
 * The everything-client: does what a scenario of the conformance suite asks of a client, over the public API of
 * `@treadle/client`.
 *
 * The suite gives the server's URL as the last argument, the scenario's name in `MCP_CONFORMANCE_SCENARIO` and, for some,
 * data in `MCP_CONFORMANCE_CONTEXT`. Exits 1 where a request fails or the scenario asks for what is not there yet.
 */
import { connect, type Answers, type PromiseClient } from "@treadle/client/promise"
import { Endpoint } from "@treadle/protocol"
import { isProtocolVersion } from "@treadle/protocol/era"
import * as Schema from "effect/Schema"
import { providerOf } from "./authorization.ts"

type Scenario = (client: PromiseClient) => Promise<unknown>

const addNumbers = Endpoint.make("add_numbers", {
  description: "Adds two numbers",
  input: { a: Schema.Finite, b: Schema.Finite }
})

const HeaderCalls = Schema.Struct({
  toolCalls: Schema.Array(Schema.Struct({ name: Schema.String, arguments: Schema.JsonObject }))
})
const decodeHeaderCalls = Schema.decodeUnknownSync(Schema.fromJsonString(HeaderCalls))

const listTools: Scenario = (client) => client.listTools()

/** Every list, and everything in it once. */
const useEach: Scenario = async (client) => {
  for (const { name } of await client.listTools()) await client.callTool(name)
  for (const { uri } of await client.listResources()) await client.readResource(uri)
  for (const { name } of await client.listPrompts()) await client.getPrompt(name)
}

const callNamed =
  (...names: ReadonlyArray<string>): Scenario =>
  async (client) => {
    await client.listTools()
    for (const name of names) await client.callTool(name)
  }

const callInRegion: Scenario = async (client) => {
  for (const { name } of await client.listTools()) await client.callTool(name, { region: "us-west1" })
}

const callWithHeaders: Scenario = async (client) => {
  await client.listTools()
  const { toolCalls } = decodeHeaderCalls(process.env["MCP_CONFORMANCE_CONTEXT"])
  for (const call of toolCalls) await client.callTool(call.name, call.arguments)
}

const echoSchema: Scenario = async (client) => {
  const tool = (await client.listTools()).find(({ name }) => name === "json_schema_2020_12_tool")
  if (tool === undefined) throw new Error("json_schema_2020_12_tool is not listed")
  await client.callTool("json_schema_echo", { schema: tool.inputSchema })
}

const addTwoNumbers: Scenario = async (client) => {
  await client.listTools()
  await client.call(addNumbers)({ a: 5, b: 3 })
}

const useTestTool = callNamed("test-tool")

const scenarios = new Map<string, Scenario>([
  ["initialize", listTools],
  ["tools_call", addTwoNumbers],
  ["request-metadata", listTools],
  ["http-standard-headers", useEach],
  ["elicitation-sep1034-client-defaults", callNamed("test_client_elicitation_defaults")],
  ["sse-retry", callNamed("test_reconnection")],
  [
    "sep-2322-client-request-state",
    callNamed("test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type")
  ],
  ["http-custom-headers", callWithHeaders],
  ["http-invalid-tool-headers", callInRegion],
  ["json-schema-ref-no-deref", listTools],
  ["json-schema-2020-12-preservation", echoSchema]
])

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
const url = process.argv.at(-1) ?? ""
const needsAuthorization = name.startsWith("auth/")
const scenario = needsAuthorization ? useTestTool : scenarios.get(name)
if (scenario === undefined) throw new Error(`The scenario ${JSON.stringify(name)} is not served by this client`)

/** Scenarios that ask a person; what is not filled in gets the defaults of the form. */
const answers = new Map<string, Answers>([
  ["elicitation-sep1034-client-defaults", { form: () => ({ action: "accept", content: {} }) }],
  ["sep-2322-client-request-state", { form: () => ({ action: "accept", content: { confirmed: true } }) }]
])

const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? ""

await using client = await connect(url, {
  ...(isProtocolVersion(revision) ? { revision } : {}),
  answers: answers.get(name) ?? {},
  ...(needsAuthorization ? { auth: await providerOf(name, process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}", url) } : {}),
  client: { name: "treadle-everything-client", version: "1.0.0" },
  // The suite gives a client 30 s.
  timeout: 10_000,
  probeTimeout: 10_000,
  onNoise: (text, why) => console.error(`${why}: ${text}`)
})
await scenario(client)

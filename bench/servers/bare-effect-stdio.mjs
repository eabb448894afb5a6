// No MCP, only what every server on Effect does before its first answer: it prints the schemas of a tool, reads the
// arguments of a line with one and prints the result with the other.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Input = Schema.Struct({ a: Schema.Number, b: Schema.Number })
const Output = Schema.Struct({ sum: Schema.Number })
const tool = {
  name: "add",
  inputSchema: Schema.toJsonSchemaDocument(Input),
  output: Schema.toJsonSchemaDocument(Output)
}
if (!JSON.stringify(tool).includes("number")) throw new Error("the tool has no schemas")

const read = Schema.decodeUnknownEffect(Input)
const print = Schema.encodeUnknownEffect(Output)

const answer = ({ id, params }) =>
  read(params.arguments).pipe(
    Effect.map(({ a, b }) => ({ sum: a + b })),
    Effect.flatMap(print),
    Effect.map((sum) => ({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", content: [{ type: "text", text: JSON.stringify(sum) }], structuredContent: sum }
    }))
  )

let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop()
  for (const line of lines)
    Effect.runFork(
      Effect.map(answer(JSON.parse(line)), (message) => process.stdout.write(`${JSON.stringify(message)}\n`))
    )
})

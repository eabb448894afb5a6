// Treadle with 200 tools over HTTP: `node treadle-list.mjs PORT`.
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const input = { id: Schema.Int, query: Schema.String, tags: Schema.Array(Schema.String) }
const output = Schema.Struct({ found: Schema.Int, names: Schema.Array(Schema.String) })

let mcp = Mcp.make({ name: "bench", version: "1.0.0" })
for (let n = 0; n < 200; n++) {
  mcp = mcp.tool(`find_${n}`, { description: `Finds things of kind ${n}`, input, output }, () =>
    Effect.succeed({ found: 0, names: [] })
  )
}

await McpNode.listen(mcp, { port: Number(process.argv[2]) })

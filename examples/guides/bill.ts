/**
 * A server for standard input and output that is shipped as one file. It waits for nothing at its top level, because a
 * CommonJS file cannot.
 */
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const mcp = Mcp.make({ name: "bill", version: "1.0.0" }).tool(
  "split_bill",
  {
    description: "Splits a bill evenly",
    input: { total: Schema.Finite, people: Schema.Int.check(Schema.isGreaterThan(0)) },
    output: Schema.Struct({ each: Schema.Finite })
  },
  ({ people, total }) => Effect.succeed({ each: total / people })
)

void McpNode.stdio(mcp)

/**
 * The press on standard input and output.
 */
import { McpNode } from "@treadle/server/node"
import { press } from "./press.ts"

await McpNode.stdio(press((text) => void process.stderr.write(`${text}\n`)))

/**
 * The box office on Treadle on standard input and output.
 */
import { McpNode } from "@treadle/server/node"
import { box } from "./box.ts"

await McpNode.stdio(box((text) => void process.stderr.write(`${text}\n`)))

/**
 * The worker on standard input and output.
 */
import { McpNode } from "@treadle/server/node"
import { sayCounters } from "../../../server/test/fixtures/quiet.ts"
import { worker } from "./worker.ts"

const door = McpNode.stdio(worker)
await door
sayCounters(door)

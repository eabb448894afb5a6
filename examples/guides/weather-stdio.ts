/** Serves the first server of the README on standard input and output. */
// #region stdio
import { McpNode } from "@treadle/server/node"
import { weather } from "./weather.ts"

await McpNode.stdio(weather)
// #endregion

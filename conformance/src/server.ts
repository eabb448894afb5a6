/**
 * The everything-server: what the conformance suite calls, over the public API of `@treadle/server`.
 *
 * It serves `/mcp` on 127.0.0.1 at `PORT`, or at a free port where that is 0, and prints its URL. A parent that started
 * it with an IPC channel takes it down by going away.
 */
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { askingTools } from "./server/AskingTools.ts"
import { changeTools } from "./server/ChangeTools.ts"
import { contentTools } from "./server/ContentTools.ts"
import { prompts } from "./server/Prompts.ts"
import { resources } from "./server/Resources.ts"
import { schemaTools } from "./server/SchemaTools.ts"
import { taskTools } from "./server/TaskTools.ts"

/** The suite calls the first tool that is listed without arguments. */
const everything = Mcp.make({ name: "treadle-everything-server", version: "1.0.0" })
  .add(contentTools)
  .add(schemaTools)
  .add(askingTools)
  .add(changeTools((change) => listening.live.changed(change)))
  .add(taskTools)
  .add(resources)
  .add(prompts)

const listening = await McpNode.listen(everything, { port: Number(process.env["PORT"] ?? 0) })
// On a busy machine, Node's five seconds would be over just when the suite sends again on an idle connection.
listening.server.keepAliveTimeout = 600_000
console.log(listening.url)

const stop = () => void listening.close().then(() => process.exit(0))
process.once("disconnect", stop)
process.once("SIGTERM", stop)
process.once("SIGINT", stop)

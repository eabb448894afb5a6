/**
 * Runs the Inspector's command lines again and again in one process, because loading them takes longer than a run does.
 * Each message of the parent holds the arguments of one run; the answer is what the run wrote, and how it failed.
 */
import { runCli } from "@modelcontextprotocol/inspector/clients/cli/build/index.js"
import { runMcp } from "@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js"

/** Those that connect for each run, and those that keep connections in a process of their own. */
const commands = {
  once: (args) => runCli(["node", "mcp-inspector", "--format", "json", "--quiet", ...args]),
  kept: (args) => runMcp(["node", "mcpdo", "--format", "json", ...args])
}

const run = async ({ command, args }) => {
  let written = ""
  process.stdout.write = (text, ...rest) => {
    written += text
    rest.findLast((one) => typeof one === "function")?.()
    return true
  }
  const error = await commands[command](args).then(
    () => undefined,
    ({ message }) => message
  )
  return { error, written: written === "" ? {} : JSON.parse(written) }
}

process.on("message", (asked) => void run(asked).then((told) => process.send(told)))
process.on("disconnect", () => process.exit())

/** A client of a server in a child process. */
// #region stdio
import { connectStdio } from "@treadle/client/node"

export const toolsOf = async (command: string, args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  await using client = await connectStdio({ command, args, onStderr: (text) => process.stderr.write(text) })
  return (await client.listTools()).map((tool) => tool.name)
}
// #endregion

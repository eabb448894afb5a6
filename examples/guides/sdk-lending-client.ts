/** A reader of the library with the official SDK. */

// #region client
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

export const borrow = async (url: string, title: string, print: (line: string) => void): Promise<void> => {
  const client = new Client(
    { name: "reader", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } }
  )
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { days: 14 } }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    const { isError, structuredContent } = await client.callTool(
      { name: "lend", arguments: { title } },
      { onprogress: ({ progress, total }) => print(`${progress}/${total}`) }
    )
    print(isError === true ? "not lent" : JSON.stringify(structuredContent))
  } finally {
    await client.close()
  }
}
// #endregion

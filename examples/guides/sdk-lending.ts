/** The library of `lending.ts` with the official SDK. */

// #region server
import { acceptedContent, inputRequired, McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import * as z from "zod"

const shelf = new Map([["Emma", "Emma Woodhouse, handsome, clever, and rich"]])

const failure = (text: string) => ({ isError: true, content: [{ type: "text" as const, text }] })

export const makeLibrary = () => {
  const server = new McpServer({ name: "library", version: "1.0.0" })
  server.registerTool(
    "lend",
    {
      description: "Lends a book",
      inputSchema: z.object({ title: z.string() }),
      outputSchema: z.object({ days: z.number() }),
      annotations: { destructiveHint: false }
    },
    async ({ title }, { mcpReq }) => {
      if (!shelf.has(title)) return failure(`There is no ${title}.`)
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 2, message: "It is on the shelf" }
        await mcpReq.notify({ method: "notifications/progress", params })
      }
      // For clients of 2025-11-25 and older this is `await mcpReq.elicitInput(…)`, in a session.
      if (mcpReq.inputResponses?.["days"] === undefined) {
        const days = inputRequired.elicit({
          message: "For how many days?",
          requestedSchema: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] }
        })
        return inputRequired({ inputRequests: { days } })
      }
      const answer = acceptedContent<{ days: number }>(mcpReq.inputResponses, "days")
      if (answer === undefined) return failure("Nothing was lent.")
      const structuredContent = { days: answer.days }
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
    }
  )
  server.registerResource(
    "book",
    new ResourceTemplate("book://{title}", { list: undefined }),
    { mimeType: "text/plain" },
    async (uri, { title }) => {
      const text = shelf.get(String(title))
      return { contents: text === undefined ? [] : [{ uri: uri.href, mimeType: "text/plain", text }] }
    }
  )
  return server
}
// #endregion

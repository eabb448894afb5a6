/** An agent of another framework, with a Treadle server that records what it is asked. */
// #region test
import { createMCPClient } from "@ai-sdk/mcp"
import { McpTest } from "@treadle/server/node"
import { generateText, stepCountIs } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { expect, test } from "vitest"
import { rules, search } from "./rules.ts"

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 }
}

test("an agent of the AI SDK looks up the rules", async () => {
  await using server = await McpTest.listen(rules)
  const client = await createMCPClient({ transport: { type: "http", url: server.url } })
  let asked = 0
  const model = new MockLanguageModelV3({
    doGenerate: async () =>
      asked++ === 0
        ? {
            content: [{ type: "tool-call", toolCallId: "1", toolName: "search", input: '{"query":"force push"}' }],
            finishReason: { unified: "tool-calls", raw: undefined },
            usage,
            warnings: []
          }
        : {
            content: [{ type: "text", text: "Request changes" }],
            finishReason: { unified: "stop", raw: undefined },
            usage,
            warnings: []
          }
  })

  const { text } = await generateText({
    model,
    prompt: "Review PR 7",
    tools: await client.tools(),
    stopWhen: stepCountIs(5)
  })

  expect(text).toBe("Request changes")
  expect(server.calls(search).map(({ input }) => input)).toEqual([{ query: "force push" }])
  await client.close()
})
// #endregion test

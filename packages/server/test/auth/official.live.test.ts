/**
 * The official clients of two generations at a protected door.
 */
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js"
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Effect from "effect/Effect"
import { McpNode } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { tokens } from "../fixtures/tokens.ts"

const mcp = empty()
  .tool("who", { description: "Tested" }, async (_, { principal }) => principal?.id)
  .tool("write", { description: "Tested", scopes: ["write"] }, async () => "written")

const opened = Effect.acquireRelease(
  Effect.promise(() =>
    McpNode.listen(mcp, { auth: tokens({ ada: ["read"], bob: ["read", "write"] }, { required: ["read"] }) })
  ),
  (server) => Effect.promise(() => server.close())
)

/** Connects a client, calls a tool, and closes it. */
const calls = async (url: string, generation: string, headers: Record<string, string>, name: string) => {
  const about = { name: "official", version: "1.0.0" }
  const init = { requestInit: { headers } }
  const transport =
    generation === "old" ? new OldHttp(new URL(url), init) : new StreamableHTTPClientTransport(new URL(url), init)
  const client: any =
    generation === "old"
      ? new OldClient(about)
      : new Client(about, generation === "new" ? { versionNegotiation: { mode: "auto" } } : {})
  try {
    await client.connect(transport)
    return (await client.callTool({ name, arguments: {} })).content[0].text as string
  } finally {
    await client.close()
  }
}

describe.each(["new", "legacy", "old"])("an official client (%s)", (generation) => {
  it.effect("AUTH-25: is served with a token in its headers, in whichever era it speaks", () =>
    Effect.gen(function* () {
      const { url } = yield* opened
      const who = yield* Effect.promise(() => calls(url, generation, { authorization: "Bearer ada" }, "who"))
      assert.strictEqual(who, "https://login.example#ADA")
      const written = yield* Effect.promise(() => calls(url, generation, { authorization: "Bearer bob" }, "write"))
      assert.strictEqual(written, "written")
    })
  )

  it.effect("AUTH-22: hears of a scope that its token lacks", () =>
    Effect.gen(function* () {
      const { url } = yield* opened
      const error = yield* Effect.promise(() =>
        calls(url, generation, { authorization: "Bearer ada" }, "write").then(() => "served", String)
      )
      assert.notStrictEqual(error, "served")
    })
  )
})

describe("an official client without a token", () => {
  it.effect("AUTH-02: is told that it is unauthorized, and where the metadata is", () =>
    Effect.gen(function* () {
      const { url } = yield* opened
      const asked: Array<string> = []
      const authProvider = {
        token: async () => undefined,
        onUnauthorized: async ({ response }: { readonly response: Response }) => {
          const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
          asked.push(String(resourceMetadataUrl), String(scope))
          throw new UnauthorizedError("no")
        }
      }
      const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider })
      const client = new Client({ name: "official", version: "1.0.0" })
      const error = yield* Effect.promise(() =>
        client.connect(transport).then(
          () => "connected",
          (one) => one
        )
      )
      assert.instanceOf(error, UnauthorizedError)
      assert.deepStrictEqual(asked, ["https://box.example/.well-known/oauth-protected-resource/mcp", "read"])
      yield* Effect.promise(() => client.close())
    })
  )
})

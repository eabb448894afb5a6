/** What the page on tasks says. */
import { assert, describe, it } from "@effect/vitest"
import { setTimeout } from "node:timers/promises"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import { bindery } from "./binding.ts"
import { collect, order, print } from "./task-client.ts"
import { press } from "./tasks.ts"

const version = "2026-07-28"
const knowing = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }

type Door = (request: Request) => Promise<Response>

/** Sends a request natively by hand. */
const send = async (
  door: Door,
  method: string,
  params: Record<string, unknown>,
  clientCapabilities: object = knowing
) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": clientCapabilities
  }
  const response = await door(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": method,
        "mcp-name": String(params["taskId"] ?? params["name"])
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } })
    })
  )
  return response.json()
}

/** Asks about a task until it stands so, for five seconds at most. */
const until = async (door: Door, taskId: string, status: string) => {
  for (let looks = 0; looks < 500; looks++) {
    const { result } = await send(door, "tasks/get", { taskId })
    if (result.status === status) return result
    await setTimeout(10)
  }
  return assert.fail(`The task was never ${status}`)
}

describe("the press", () => {
  it("answers at once, says how far it is, and has the result later", async () => {
    await using door = McpHttp.fetch(press)
    const { result } = await send(door, "tools/call", { name: "print_book", arguments: { title: "Voyages" } })
    assert.deepInclude(result, { resultType: "task", status: "working", ttlMs: 600_000, pollIntervalMs: 500 })
    const { taskId } = result
    assert.match((await until(door, taskId, "working")).statusMessage, /^Printing The /)
    const done = await until(door, taskId, "completed")
    assert.deepStrictEqual(done.result.content, [{ type: "text", text: "Voyages is printed" }])
  })

  it("is an ordinary tool for clients that do not know tasks", async () => {
    await using door = McpHttp.fetch(press)
    const { result } = await send(door, "tools/call", { name: "print_book", arguments: { title: "Voyages" } }, {})
    assert.strictEqual(result.resultType, "complete")
  })

  it("stops printing when the task is cancelled", async () => {
    await using door = McpHttp.fetch(press)
    const { result } = await send(door, "tools/call", { name: "print_book", arguments: { title: "Voyages" } })
    await send(door, "tasks/cancel", { taskId: result.taskId })
    await until(door, result.taskId, "cancelled")
  })
})

describe("clients of the press", () => {
  it("wait for the book, or come back for it", async () => {
    await using served = await McpNode.listen(press)
    assert.strictEqual(await print(served.url, "Voyages"), "Voyages is printed")
    const taskId = await order(served.url, "Travels")
    assert.strictEqual(await collect(served.url, taskId ?? ""), "Travels is printed")
  })
})

describe("the bindery", () => {
  it("asks before its task, and with it", async () => {
    await using door = McpHttp.fetch(bindery)
    const params = { name: "bind_book", arguments: {} }
    const { requestState } = (await send(door, "tools/call", params)).result
    const cloth = { action: "accept", content: { colour: "blue" } }
    const { result } = await send(door, "tools/call", { ...params, requestState, inputResponses: { cloth } })
    const { taskId } = result
    const { inputRequests } = await until(door, taskId, "input_required")
    assert.strictEqual(inputRequests.spine.params.message, "What goes on the spine?")
    const spine = { action: "accept", content: { title: "Voyages" } }
    await send(door, "tasks/update", { taskId, inputResponses: { spine } })
    const done = await until(door, taskId, "completed")
    assert.deepStrictEqual(done.result.content, [{ type: "text", text: "Voyages, in blue" }])
  })

  it("needs a client that knows tasks", async () => {
    await using door = McpHttp.fetch(bindery)
    const { error } = await send(door, "tools/call", { name: "bind_book", arguments: {} }, {})
    assert.strictEqual(error.code, -32021)
  })
})

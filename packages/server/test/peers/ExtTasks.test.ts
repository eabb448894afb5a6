/**
 * The official requester of the tasks extension, which drives tasks of ours: it makes the requests and reads the answers,
 * and hands both through a port.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  createApplicationInputHandler,
  withTasks,
  type ConnectedMcpSessionPort
} from "@modelcontextprotocol/ext-tasks/client"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { own } from "@treadle/protocol/json"
import { rawAsk, rawDeclaring, rawRequest, type RawMessage } from "@treadle/testing"
import { Ask, CurrentCall } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import { empty } from "../fixtures/calling.ts"
import { assertQuiet } from "../fixtures/quiet.ts"
import { httpPeer } from "../fixtures/rawPeers.ts"

const able = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }
const plain = { description: "Tested" }
const task = { pollInterval: 10 }

const said = (key: string) =>
  Effect.map(
    CurrentCall.ask(key, Ask.form({ message: key, fields: { said: Schema.String } })),
    (answer) => answer.action === "accept" && answer.content.said
  )

/** What was interrupted. */
const interrupted: Array<string> = []

const mcp = empty()
  .tool("quick", plain, async () => "at once")
  .tool("slow", { ...plain, task }, () => Effect.as(Effect.sleep(50), "made"))
  .tool("broken", { ...plain, task }, () => Effect.die(new Error("bug")))
  .tool("endless", { ...plain, task }, () =>
    Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted.push("endless")))
  )
  .tool("asks", { ...plain, task: { ...task, begins: "later" } }, () =>
    Effect.gen(function* () {
      const before = yield* said("before")
      yield* CurrentCall.startTask
      return `${before} and ${yield* said("after")}`
    })
  )

let lastId = 0

/** What the requester calls with a request that has no id and no envelope. */
const dispatching = (door: (request: Request) => Promise<Response>): ConnectedMcpSessionPort["dispatch"] => {
  const peer = httpPeer("http://localhost/mcp", door)
  return async (request) => {
    const { method, params } = request as RawMessage
    const message = rawDeclaring(rawRequest(++lastId, method, params), able)
    const { error, result } = await Effect.runPromise(rawAsk(peer, message))
    return error === undefined ? { kind: "result", result } : { kind: "error", error }
  }
}

/** Answers each form with the words of its question. */
const answers = createApplicationInputHandler({
  elicitation: ({ params }) => ({ action: "accept", content: { said: String(params["message"]) } }),
  sampling: () => Promise.reject(new Error("nobody samples")),
  roots: () => ({ roots: [] })
})

const nothing = () => () => {}

const texts = (content: unknown) => (Array.isArray(content) ? content.map((block) => own(block, "text")) : [])

const connected = () => {
  const door = McpHttp.fetch(mcp)
  const port: ConnectedMcpSessionPort = {
    endpointId: "suite",
    taskCapabilities: { generation: "v2", capabilities: {} },
    dispatch: dispatching((request) => door(request)),
    onServerRequest: nothing,
    onNotification: nothing,
    onInvalidated: nothing,
    invalidated: false
  }
  const session = withTasks(port, { onInputRequest: answers })
  return {
    /** What a call came to: whether it was a task, its status, and its words. */
    settled: async (name: string, cancels = false) => {
      const execution = await session.callTool(name, {})
      if (cancels) await execution.cancel()
      const { outcome } = await execution.settle()
      return [execution.kind, outcome.status, ...(outcome.status === "completed" ? texts(outcome.result.content) : [])]
    },
    [Symbol.asyncDispose]: async () => {
      await session.close()
      await door.close()
      assertQuiet(door)
    }
  }
}

describe("the official requester of tasks", () => {
  it("TASK-04 TASK-18: has the result of a call, whether it became a task or not", async () => {
    await using requester = connected()
    assert.deepStrictEqual(await requester.settled("quick"), ["immediate", "completed", "at once"])
    assert.deepStrictEqual(await requester.settled("slow"), ["task", "completed", "made"])
    assert.deepStrictEqual(await requester.settled("broken"), ["task", "failed"])
  })

  it("TASK-07 TASK-10: answers what is asked before the task and with it", async () => {
    await using requester = connected()
    assert.deepStrictEqual(await requester.settled("asks"), ["task", "completed", "before and after"])
  })

  it("TASK-12: cancels a task", async () => {
    await using requester = connected()
    assert.deepStrictEqual(await requester.settled("endless", true), ["task", "cancelled"])
    assert.deepStrictEqual(interrupted, ["endless"])
  })
})

/**
 * Messages of many megabytes: whole in both directions, and no reason for others to wait.
 */
import { assert, describe, it } from "@effect/vitest"
import { request as httpRequest, type IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { McpNode } from "../../src/node/index.ts"
import { bundled } from "../fixtures/bundled.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { childProcess, headersOf, posting } from "../fixtures/rawPeers.ts"

const mega = 1_000_000

/** The lines of a stream of text; a piece is looked at once. */
const linesOf = (take: (line: string) => void) => {
  let parts: Array<string> = []
  return (text: string): void => {
    const [head = "", ...rest] = text.split("\n")
    parts.push(head)
    for (const next of rest) {
      take(parts.join(""))
      parts = [next]
    }
  }
}

const lengthOf = (answer: RawMessage): unknown => answer["result"]?.content[0].text.length ?? answer

describe("a big message", () => {
  it.live("B066 D13: on a pipe comes whole, both ways at once, although nobody reads for a while", () =>
    Effect.gen(function* () {
      const child = yield* childProcess(bundled("stdioChild"))
      const answers = new Recorder<RawMessage>()
      child.stream.stdout.removeAllListeners("data")
      child.stream.stdout.on(
        "data",
        linesOf((line) => answers.record(JSON.parse(line)))
      )
      child.stream.stdout.pause()
      const sizes = [4 * mega, ...Array.from({ length: 5 }, () => mega), 3]
      for (const [id, size] of sizes.entries()) {
        child.write(`${JSON.stringify(rawToolCall(id, "echo", { text: "x".repeat(size) }))}\n`)
      }
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      child.stream.stdout.resume()
      for (const [id, size] of sizes.entries()) {
        const answer = yield* Effect.promise(() => answers.first((one) => one["id"] === id))
        assert.strictEqual(lengthOf(answer), size)
      }
      assert.lengthOf(answers.events, sizes.length)
    })
  )

  it.live("B066: over HTTP that is read slowly keeps nobody else waiting, and comes whole", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(
        empty()
          .tool("big", { description: "Tested", input: { size: Schema.Int } }, async ({ size }) => "x".repeat(size))
          .tool("small", { description: "Tested" }, async () => "y")
      )
      const port = yield* listening((req, res) => door(req, res))
      const asked = rawToolCall(1, "big", { size: 8 * mega })
      const request = httpRequest({ port, host: "127.0.0.1", method: "POST", agent: false, headers: headersOf(asked) })
      const answered = new Promise<IncomingMessage>((resolve) => request.once("response", resolve))
      request.end(JSON.stringify(asked))
      const response = yield* Effect.promise(() => answered)
      for (let id = 2; id < 12; id++) {
        const quick = posting(port, rawToolCall(id, "small"))
        assert.strictEqual(lengthOf(JSON.parse(yield* Effect.promise(() => quick.text))), 1)
      }
      assert.isFalse(response.readableEnded)
      const pieces = yield* Effect.promise(() => response.setEncoding("utf8").toArray())
      assert.strictEqual(lengthOf(JSON.parse(pieces.join(""))), 8 * mega)
    })
  )
})

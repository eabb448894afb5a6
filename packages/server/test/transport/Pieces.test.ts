/**
 * Bytes that come in pieces, with what people put round them: each door reads what was meant, or says what is wrong.
 */
import { assert, describe, it } from "@effect/vitest"
import { request as httpRequest } from "node:http"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LineReader } from "@treadle/protocol/framing"
import { crumbs, everyCut, rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { McpMemory } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const runs: Array<string> = []
const mcp = empty().tool("echo", { description: "Tested", input: { text: Schema.String } }, ({ text }) => {
  runs.push(text)
  return Effect.succeed(text)
})

const utf8 = new TextEncoder()
const difficult = '"é€漢😀"\n\u2028'
const message = rawToolCall(1, "echo", { text: difficult })
const whole = utf8.encode(JSON.stringify(message))
const textOf = (answer: RawMessage): unknown => answer["result"]?.content[0].text ?? answer

/** A pipe of which the test holds the other end, byte by byte. */
const pipe = Effect.gen(function* () {
  const written: Array<string> = []
  const answers = new Recorder<RawMessage>()
  let reader: LineReader | undefined
  yield* McpMemory.serve(
    mcp,
    {
      open: (given) => void (reader = given),
      write: (text) => {
        written.push(text)
        for (const line of text.trimEnd().split("\n")) answers.record(JSON.parse(line))
        return true
      },
      pause: () => {},
      resume: () => {},
      close: () => {}
    },
    {}
  )
  const push = (bytes: string | Uint8Array) => reader?.chunk(typeof bytes === "string" ? utf8.encode(bytes) : bytes)
  return {
    written,
    answers,
    push,
    end: () => reader?.end(),
    answer: (id: unknown) => Effect.promise(() => answers.first((one) => one["id"] === id))
  }
})

const line = (id: unknown, text = difficult) => JSON.stringify(rawToolCall(id, "echo", { text }))

describe("a message that is cut anywhere", () => {
  it.effect("B024 STDIO-01: reads the same on a pipe", () =>
    Effect.gen(function* () {
      const { answers, push } = yield* pipe
      for (const [at, pieces] of everyCut(utf8.encode(`${line(1)}\n`)).entries()) {
        for (const piece of pieces) push(piece)
        yield* Effect.promise(() => answers.first(() => answers.events.length > at))
        assert.strictEqual(textOf(answers.events[at] ?? {}), difficult, `cut at ${at}`)
      }
    })
  )

  it.effect("B024: reads the same at the door of fetch", () =>
    Effect.promise(async () => {
      const door = McpHttp.fetch(mcp)
      for (const [at, pieces] of everyCut(whole).entries()) {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            for (const piece of pieces) controller.enqueue(piece)
            controller.close()
          }
        })
        const init = { method: "POST", headers: headersOf(message), body, duplex: "half" }
        const response = await door(new Request("http://localhost/mcp", init))
        assert.strictEqual(textOf((await response.json()) as RawMessage), difficult, `cut at ${at}`)
      }
    })
  )

  it.effect("B024: reads the same at the door of node:http", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(mcp)
      const port = yield* listening((req, res) => door(req, res))
      const send = (pieces: ReadonlyArray<Uint8Array>) =>
        Effect.promise(
          () =>
            new Promise<RawMessage>((resolve, reject) => {
              const headers = headersOf(message)
              const req = httpRequest({ port, host: "127.0.0.1", method: "POST", agent: false, headers }, (res) => {
                let text = ""
                res.setEncoding("utf8").on("data", (piece: string) => (text += piece))
                res.on("end", () => resolve(JSON.parse(text)))
              })
              req.on("error", reject)
              const [first = new Uint8Array(), ...rest] = pieces
              req.write(first, () => {
                setImmediate(() => {
                  for (const piece of rest) req.write(piece)
                  req.end()
                })
              })
            })
        )
      const start = whole.findIndex((byte) => byte > 127)
      const end = whole.findLastIndex((byte) => byte > 127)
      for (let at = start; at <= end + 1; at++) {
        assert.strictEqual(textOf(yield* send([whole.slice(0, at), whole.slice(at)])), difficult, `cut at ${at}`)
      }
      assert.strictEqual(textOf(yield* send(crumbs(whole))), difficult)
    })
  )
})

describe("a line on a pipe", () => {
  const framed: ReadonlyArray<readonly [string, (json: string) => string]> = [
    ["a byte order mark before it", (json) => `\uFEFF${json}\n`],
    ["CRLF after it", (json) => `${json}\r\n`],
    ["blanks round it", (json) => `  ${json} \t \n`],
    ["blank lines round it", (json) => `\n\r\n${json}\n\n`]
  ]
  it.effect.each(framed)("B069 STDIO-01: with %s is served", ([, frame]) =>
    Effect.gen(function* () {
      const { answer, answers, push } = yield* pipe
      push(frame(line(1)))
      assert.strictEqual(textOf(yield* answer(1)), difficult)
      push(frame(line(2)).replace("\uFEFF", ""))
      yield* answer(2)
      assert.lengthOf(answers.events, 2)
    })
  )

  it.effect("B069: without an end is served when the input ends", () =>
    Effect.gen(function* () {
      const { answer, end, push } = yield* pipe
      push(line(1))
      end()
      assert.strictEqual(textOf(yield* answer(1)), difficult)
    })
  )

  it.effect("B069 B049: that is a part of printed JSON is refused, line by line, and the next message is served", () =>
    Effect.gen(function* () {
      const { answer, answers, push } = yield* pipe
      const pretty = JSON.stringify(message, null, 2)
      push(`${pretty}\n\uFEFF${line("marked")}\n${line("good")}\n`)
      yield* answer("good")
      const refused = answers.events.slice(0, -1)
      assert.lengthOf(refused, pretty.split("\n").length + 1)
      for (const { error, id } of refused) assert.deepStrictEqual([error.code, id], [-32700, undefined])
    })
  )

  it.effect("B069 STDIO-01: that is written is one for each message, without a mark, whatever is in it", () =>
    Effect.gen(function* () {
      const { answer, push, written } = yield* pipe
      push(`${line(1, "\uFEFF a\r\nb\u2028c\u2029d\u0085e")}\n`)
      yield* answer(1)
      assert.match(written.join(""), /^\{"jsonrpc"[^\n\r]*\}\n$/)
    })
  )
})

describe("a body that does not end", () => {
  it.effect("B046 D13: is answered 413 by the door of fetch, which stops reading it and runs nothing", () =>
    Effect.promise(async () => {
      const limit = 100_000
      const door = McpHttp.fetch(mcp, { limits: { bodyBytes: limit } })
      let pulled = 0
      let cancelled = false
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 16_384
          controller.enqueue(new Uint8Array(16_384).fill(32))
        },
        cancel: () => {
          cancelled = true
        }
      })
      const before = runs.length
      const init = { method: "POST", headers: headersOf(message), body, duplex: "half" }
      const response = await door(new Request("http://localhost/mcp", init))
      assert.strictEqual(response.status, 413)
      assert.deepInclude(((await response.json()) as RawMessage)["error"], { code: -32600 })
      assert.isTrue(cancelled)
      assert.isBelow(pulled, limit + 3 * 16_384)
      assert.strictEqual(runs.length, before)
    })
  )
})

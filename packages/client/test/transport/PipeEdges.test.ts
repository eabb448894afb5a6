/**
 * The edges of a pipe: marks and line ends, calls that are given up, arguments that are no JSON.
 */
import { getEventListeners } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { linePair, type LinePort } from "@treadle/protocol/framing"
import { Recorder } from "@treadle/testing"
import { McpClient, McpError, type PipeSettings } from "../../src/index.ts"
import { promiseClient } from "../../src/promise/PromiseClient.ts"
import { discoverResult, opened as scripted, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"

/** A server at the far end: it answers discover, and gives every other line to the script. */
const far = (script: (line: any, write: (text: string) => void, port: LinePort) => void, opening = "") => {
  const [near, port] = linePair()
  const lines = new Recorder<string>()
  const write = (text: string) => void port.write(text)
  let rest = ""
  port.open({
    chunk: (bytes) => {
      const cut = (rest + new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).split("\n")
      rest = cut.pop() ?? ""
      for (const text of cut) {
        lines.record(text)
        const line = JSON.parse(text)
        if (line.method === "server/discover") write(`${opening}${JSON.stringify(result(line.id, discoverResult))}\n`)
        else script(line, write, port)
      }
    },
    end: () => {},
    drain: () => {}
  })
  return { near, lines }
}

const opened = (
  script: (line: any, write: (text: string) => void, port: LinePort) => void,
  settings: PipeSettings = {},
  opening = ""
) =>
  Effect.gen(function* () {
    const { lines, near } = far(script, opening)
    return { lines, session: yield* McpClient.pipe(near, settings) }
  })

const okText = (id: unknown, text = "ok"): string => JSON.stringify(result(id, textResult(text)))

describe("the edges of a pipe", () => {
  it.effect("B069: reads a mark at the start, carriage returns, blanks round a message and U+2028 inside one", () =>
    Effect.gen(function* () {
      const forms = [
        (id: number) => `${okText(id)}\r\n`,
        (id: number) => `  ${okText(id)}  \n`,
        (id: number) => `\r\n\n\t\n${okText(id)}\n`,
        (id: number) => `${okText(id, "a\u2028b\u2029c\u0085d")}\n`
      ]
      const { lines, session } = yield* opened((line, write) => write(forms.shift()?.(line.id) ?? ""), {}, "\uFEFF")
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(yield* session.call(ping)(), "a\u2028b\u2029c\u0085d")
      for (const line of lines.events) assert.match(line, /^\{.*\}$/, "one line, no mark")
    })
  )

  it.effect("B069: reads the last message without a line end, and reports what is printed over several lines", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const { session } = yield* opened(
        (line, write, port) => {
          write(`${JSON.stringify(result(line.id, textResult("pretty")), undefined, 2)}\n`)
          write(okText(line.id, "last"))
          port.close()
        },
        { onNoise: (_, why) => noise.push(why) }
      )
      assert.strictEqual(yield* session.call(ping)(), "last")
      assert.isAtLeast(noise.length, 5)
    })
  )

  it.effect(
    "B035 CANCEL-06: a thousand calls that are given up leave nothing behind, and late answers are nothing",
    () =>
      Effect.gen(function* () {
        const asked: Array<number> = []
        const cancelled: Array<number> = []
        let write: (text: string) => void = () => {}
        const { near } = far((line, say) => {
          write = say
          if (line.params.name === "ping") say(`${okText(line.id)}\n`)
          else if (line.method === "notifications/cancelled") cancelled.push(line.params.requestId)
          else asked.push(line.id)
        })
        const noise: Array<string> = []
        const client = yield* Effect.promise(() =>
          promiseClient(McpClient.pipe(near, { onNoise: (_, why) => noise.push(why) }), "pipe")
        )
        const shared = new AbortController()
        for (let n = 0; n < 1000; n++) {
          const controller = new AbortController()
          const call = client.callTool("slow", {}, { signal: AbortSignal.any([controller.signal, shared.signal]) })
          const settled = Promise.allSettled([call])
          yield* Effect.promise(async () => {
            while (asked.length <= n) await Promise.resolve()
          })
          controller.abort("enough")
          const [outcome] = yield* Effect.promise(() => settled)
          assert.isTrue(outcome?.status === "rejected" && outcome.reason instanceof McpError)
        }
        yield* Effect.promise(async () => {
          while (cancelled.length < 1000) await Promise.resolve()
        })
        assert.deepStrictEqual(cancelled, asked, "each once, under its id")
        for (const id of asked) write(`${okText(id)}\n`)
        yield* Effect.promise(() => client.callTool("ping"))
        assert.deepStrictEqual(noise, [])
        assert.deepInclude(client.counters(), { waiting: 0, late: 1000 })
        yield* Effect.promise(() => client.close())
      })
  )

  it.effect(
    "B035: a signal that was aborted before sends nothing, and one that outlives a call keeps no listener",
    () =>
      Effect.gen(function* () {
        const { lines, near } = far((line, write) => write(`${okText(line.id)}\n`))
        const client = yield* Effect.promise(() => promiseClient(McpClient.pipe(near), "pipe"))
        const before = yield* Effect.promise(() =>
          client.callTool("any", {}, { signal: AbortSignal.abort("too late") }).then(() => "it was sent", String)
        )
        assert.include(before, "too late")
        assert.strictEqual(lines.events.length, 1)
        const { signal } = new AbortController()
        for (let n = 0; n < 50; n++) yield* Effect.promise(() => client.callTool("any", {}, { signal }))
        assert.strictEqual(getEventListeners(signal, "abort").length, 0)
        assert.strictEqual(lines.events.length, 51)
        yield* Effect.promise(() => client.close())
      })
  )

  it.effect("B099: arguments that have no JSON fail their call, and the session works on", () =>
    Effect.gen(function* () {
      const { session: piped } = yield* opened((line, write) => write(`${okText(line.id)}\n`))
      const { session: http } = yield* scripted(serving())
      const cycle: Record<string, unknown> = {}
      cycle["self"] = cycle
      for (const session of [piped, http]) {
        for (const given of [{ a: 10n }, cycle]) {
          // @ts-expect-error the compiler knows that this is no JSON
          const reason = yield* reasonOf(session.callTool("any", given))
          assert.strictEqual(reason._tag, "Undecodable")
          assert.include(reason.message, "the request")
        }
        assert.deepInclude(session.counters(), { waiting: 0, links: 1 })
        assert.strictEqual(yield* session.call(ping)(), "ok")
      }
    })
  )
})

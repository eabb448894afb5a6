/**
 * Agents over published servers of others, as programs.
 */
import { createRequire } from "node:module"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { Agent, type AgentEvent } from "@treadle/agent"
import { NodeServer } from "@treadle/agent/node"
import { AgentTest, type TurnLike } from "@treadle/agent/test"

const require = createRequire(import.meta.url)

/** The program of a published server. */
const program = (name: string): string =>
  path.join(path.dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js")

const everything = NodeServer.command(process.execPath, [program("server-everything"), "stdio"])

const run = (servers: NonNullable<Parameters<typeof Agent.make>[0]["servers"]>, ...turns: ReadonlyArray<TurnLike>) =>
  Effect.gen(function* () {
    const events: Array<AgentEvent> = []
    const agent = Agent.make({ name: "r", instruction: "Go.", servers })
    const outcome = yield* Effect.provide(
      Agent.run(agent, "Go", { onEvent: (event) => events.push(event) }),
      AgentTest.script(...turns)
    )
    return { outcome, events }
  })

describe("an agent over published servers", () => {
  it.live("calls the tools of server-everything, and reads its results and resources", () =>
    Effect.gen(function* () {
      let uri = ""
      const { outcome } = yield* run(
        { everything },
        (seen) => {
          assert.include(seen.system, 'The server "everything" says of itself')
          uri = /^- (\S+) — /mu.exec(seen.system)?.[1] ?? ""
          return AgentTest.together(
            AgentTest.callNamed("echo", { message: "hello" }),
            AgentTest.callNamed("get-sum", { a: 2, b: 3 }),
            AgentTest.callNamed("get-tiny-image"),
            AgentTest.callNamed("get-structured-content", { location: "New York" }),
            AgentTest.callNamed("get-sum", { a: "two" }),
            AgentTest.callNamed("resource.read", { uri })
          )
        },
        (seen) => {
          const [echo, sum, image, weather, wrong, resource] = seen.results
          assert.strictEqual(echo?.value, "Echo: hello")
          assert.include(String(sum?.value), "5")
          assert.match(String(image?.value), /\[image image\/png, \d+ bytes\]/)
          assert.property(weather?.value, "temperature")
          assert.isTrue(wrong?.isError)
          assert.isFalse(resource?.isError, String(resource?.value))
          return AgentTest.say("done")
        }
      )
      assert.strictEqual(outcome.text, "done")
      assert.strictEqual(outcome.calls().length, 6)
    })
  )

  it.live("hears the progress of a long call", () =>
    Effect.gen(function* () {
      const { events } = yield* run(
        { everything },
        AgentTest.callNamed("trigger-long-running-operation", { duration: 1, steps: 2 }),
        AgentTest.say("done")
      )
      const progress = events.flatMap((event) => (event._tag === "ToolProgress" ? [[event.done, event.total]] : []))
      assert.deepStrictEqual(progress, [
        [1, 2],
        [2, 2]
      ])
    })
  )

  it.live("reads a file by server-filesystem, and is told why it may not read another", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(path.join(tmpdir(), "agent-"))),
        (name) => Effect.sync(() => rmSync(name, { recursive: true }))
      )
      writeFileSync(path.join(folder, "a.txt"), "the words of a")
      const files = NodeServer.command(process.execPath, [program("server-filesystem"), folder])
      yield* run(
        { files },
        AgentTest.together(
          AgentTest.callNamed("read_text_file", { path: path.join(folder, "a.txt") }),
          AgentTest.callNamed("read_text_file", { path: "/etc/passwd" })
        ),
        (seen) => {
          const [words, refused] = seen.results
          assert.include(JSON.stringify(words?.value), "the words of a")
          assert.isTrue(refused?.isError)
          assert.include(JSON.stringify(refused?.value), "denied")
          return AgentTest.say("done")
        }
      )
    }).pipe(Effect.scoped)
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { isAlive, Recorder, scriptedChild, type ChildPeer } from "@treadle/testing"
import { connectStdio, McpNodeClient, type StdioSettings } from "../../src/node/index.ts"
import { discoverResult, reasonOf, textResult } from "../fixtures.ts"

/** A child that answers discover and says its process id, and calls by what their tool is named. */
const script = (peer: ChildPeer, data: { discover: object; text: object; deaf?: boolean }) => {
  if (data.deaf) {
    process.on("SIGTERM", () => peer.log("sigterm\n"))
    setInterval(() => {}, 1000)
  }
  peer.log(`pid ${process.pid}\n`)
  peer.onEnd(() => peer.log("eof\n"))
  peer.onLine(({ id, method, params }) => {
    if (method === "server/discover") return peer.answer(id, data.discover)
    if (method === "notifications/cancelled") peer.log("cancelled\n")
    if (method !== "tools/call") return
    const reply = (text: string) => peer.answer(id, { ...data.text, content: [{ type: "text", text }] })
    switch (params.name) {
      case "argv":
        return reply(JSON.stringify(process.argv.slice(1)))
      case "env":
        return reply(JSON.stringify(process.env))
      case "cwd":
        return reply(process.cwd())
      case "echo":
        return reply(params.arguments.name)
      case "flood":
        peer.log("x".repeat(1024 * 1024))
        return reply("dry")
      case "crash":
        process.stderr.write("out of tickets\n", () => process.exit(3))
        return
      case "crumbs": {
        const line = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "é€漢😀" }] } })
        for (const byte of Buffer.from(`${line}\n`)) peer.write(new Uint8Array([byte]))
      }
    }
  })
}

const server = (settings: Partial<StdioSettings> = {}, deaf = false): StdioSettings => {
  const child = scriptedChild(script, { discover: discoverResult, text: textResult(""), deaf })
  return { ...child, ...settings, args: [...child.args, ...(settings.args ?? [])] }
}

/** What a child says on its errors output, and its process id. */
const listening = () => {
  const heard = new Recorder<string>()
  let all = ""
  const onStderr = (text: string) => {
    all += text
    heard.record(all)
  }
  const pid = Effect.promise(async () =>
    Number(/pid (\d+)/.exec(await heard.first((text) => /pid \d+\n/.test(text)))?.[1])
  )
  const length = (least: number) => Effect.promise(() => heard.first((text) => text.length >= least))
  return { onStderr, pid, said: () => all, length }
}

const textOf = (result: { readonly content: ReadonlyArray<unknown> }) =>
  (result.content[0] as { readonly text: string }).text

describe("McpNodeClient.stdio", () => {
  it.live("starts a program, gives it its arguments untouched and talks to it", () =>
    Effect.gen(function* () {
      const args = ["a b", 'say "hi"', "%PATH%", "x&y", "$HOME", "*"]
      const session = yield* McpNodeClient.stdio(server({ args }))
      assert.deepStrictEqual(session.server, { name: "box", version: "1.2.3" })
      assert.deepStrictEqual(JSON.parse(textOf(yield* session.callTool("argv"))), args)
    })
  )

  it.live("B008: gives it a safe environment and what was given, in the given directory", () =>
    Effect.gen(function* () {
      process.env["TREADLE_TEST_SECRET"] = "1"
      const session = yield* McpNodeClient.stdio(server({ env: { KEY: "v", HOME: undefined }, cwd: "/" }))
      const env = JSON.parse(textOf(yield* session.callTool("env")))
      assert.strictEqual(env.KEY, "v")
      assert.strictEqual(env.PATH, process.env["PATH"])
      assert.notProperty(env, "HOME")
      assert.notProperty(env, "TREADLE_TEST_SECRET")
      assert.strictEqual(textOf(yield* session.callTool("cwd")), "/")
    })
  )

  it.live("B028: reads its errors output always, whether anybody wants it or not", () =>
    Effect.gen(function* () {
      const silent = yield* McpNodeClient.stdio(server())
      assert.strictEqual(textOf(yield* silent.callTool("flood")), "dry")
      const { length, onStderr } = listening()
      const heard = yield* McpNodeClient.stdio(server({ onStderr }))
      yield* heard.callTool("flood")
      yield* heard.callTool("flood")
      yield* length(2 * 1024 * 1024)
    })
  )

  it.live("gets every call, however many are made at once and however much more than the pipe holds", () =>
    Effect.gen(function* () {
      const session = yield* McpNodeClient.stdio(server())
      const padding = "x".repeat(20_000)
      const names = Array.from({ length: 200 }, (_, index) => `call ${index}`)
      const calls = names.map((name) => session.callTool("echo", { name, padding }))
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        results.map(({ content }) => content),
        names.map((text) => [{ type: "text", text }])
      )
    })
  )

  it.live("B024: keeps characters that are cut anywhere", () =>
    Effect.gen(function* () {
      const session = yield* McpNodeClient.stdio(server())
      assert.strictEqual(textOf(yield* session.callTool("crumbs")), "é€漢😀")
    })
  )

  it.live("tells it of the calls that the end of the session gives up, before its input ends", () =>
    Effect.gen(function* () {
      const { onStderr, said } = listening()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* McpNodeClient.stdio(server({ onStderr }))
          yield* Effect.forkChild(session.callTool("nothing"), { startImmediately: true })
        })
      )
      assert.match(said(), /cancelled\neof\n$/)
    })
  )

  it.live("STDIO-05: ends it with the scope by closing its input", () =>
    Effect.gen(function* () {
      const { onStderr, pid, said } = listening()
      const id = yield* Effect.scoped(Effect.andThen(McpNodeClient.stdio(server({ onStderr })), pid))
      assert.isFalse(isAlive(id))
      assert.match(said(), /eof/)
    })
  )

  it.live("STDIO-05 A74: asks, and then kills, one that does not end", () =>
    Effect.gen(function* () {
      const { onStderr, pid, said } = listening()
      const settings = server({ onStderr, stop: { afterInput: 100, afterTerminate: 100 } }, true)
      const id = yield* Effect.scoped(Effect.andThen(McpNodeClient.stdio(settings), pid))
      assert.isFalse(isAlive(id))
      assert.match(said(), /eof[^]*sigterm/)
    })
  )

  it.live("ends it when opening is interrupted, or fails", () =>
    Effect.gen(function* () {
      const mute = scriptedChild((peer) => {
        process.on("SIGTERM", () => {})
        setInterval(() => {}, 1000)
        peer.log(`pid ${process.pid}\n`)
        peer.onLine(() => {})
      })
      const stop = { afterInput: 100, afterTerminate: 100 }
      for (const probeTimeout of [200, 60_000]) {
        const { onStderr, pid } = listening()
        const opening = Effect.scoped(McpNodeClient.stdio({ ...mute, onStderr, probeTimeout, stop }))
        const fiber = yield* Effect.forkChild(opening, { startImmediately: true })
        const id = yield* pid
        assert.isTrue(isAlive(id))
        if (probeTimeout === 200) assert.strictEqual((yield* Fiber.await(fiber))._tag, "Failure")
        else yield* Fiber.interrupt(fiber)
        assert.isFalse(isAlive(id))
      }
    })
  )

  it.live(
    "B059 D21: fails with Closed, the exit code and the last words when it crashes; the next call starts it anew",
    () =>
      Effect.gen(function* () {
        const { onStderr, said } = listening()
        const session = yield* McpNodeClient.stdio(server({ onStderr }))
        const reason = yield* reasonOf(session.callTool("crash"))
        assert.strictEqual(reason._tag, "Closed")
        assert.match(reason.message, /exited with code 3; its last words on stderr: [^]*out of tickets$/)
        const again = yield* session.callTool("cwd")
        assert.strictEqual(again.isError, undefined)
        assert.strictEqual(new Set(said().match(/pid \d+/g)).size, 2)
        assert.strictEqual(session.counters().links, 2)
      })
  )

  it.live("does not wait for a grandchild that left its group and keeps the output open", () =>
    Effect.gen(function* () {
      const parent = scriptedChild((peer) => {
        const { spawn } = process.getBuiltinModule("node:child_process")
        peer.onLine(() => {
          const idle = spawn(process.execPath, ["-e", "setTimeout(() => {}, 30_000)"], {
            stdio: ["ignore", "inherit", "inherit"],
            detached: true
          })
          idle.once("spawn", () => process.stderr.write(`pid ${idle.pid}\n`, () => process.exit(4)))
        })
      })
      const { onStderr, pid } = listening()
      const reason = yield* reasonOf(Effect.scoped(McpNodeClient.stdio({ ...parent, onStderr })))
      const grandchild = yield* pid
      assert.isTrue(isAlive(grandchild))
      process.kill(grandchild, "SIGKILL")
      assert.match(reason.message, /exited with code 4/)
    })
  )

  it.live("B014: fails with Transport and a sentence that names a program that is not there", () =>
    Effect.gen(function* () {
      for (const settings of [
        { command: "no-such-program-x" },
        { ...server(), cwd: "/no/such/dir" },
        { command: "" }
      ]) {
        const error = yield* Effect.flip(Effect.scoped(McpNodeClient.stdio(settings)))
        assert.strictEqual(error.reason._tag, "Transport")
        assert.include(error.message, `cannot start ${JSON.stringify(settings.command)}`)
      }
    })
  )
})

describe("connectStdio", () => {
  it.live("gives a client of promises, whose end is the end of the program", () =>
    Effect.gen(function* () {
      const { onStderr, pid } = listening()
      const client = yield* Effect.promise(() => connectStdio(server({ onStderr })))
      assert.strictEqual(textOf(yield* Effect.promise(() => client.callTool("flood"))), "dry")
      const id = yield* pid
      yield* Effect.promise(() => client[Symbol.asyncDispose]())
      assert.isFalse(isAlive(id))
    })
  )
})

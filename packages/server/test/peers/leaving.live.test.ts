/**
 * Official clients that lose something: their server, their connection, or what they could have been asked.
 */
import { assert, describe, it } from "@effect/vitest"
import { Recorder } from "@treadle/testing"
import { failure, openTheatre, program, textOf } from "./everyPeer.ts"
import { doors, peers } from "./officialPeers.ts"

describe.each(peers)("$client", ({ client, connect, era }) => {
  it("D17 SUB-09: hears that its server stops, which does not wait for it", async () => {
    const server = await openTheatre()
    const peer = await connect("http", { url: server.url, program: "" })
    await peer.call("change", { what: "tools" })
    await peer.heard.first(({ what }) => what === "tools")
    const before = performance.now()
    await server.close()
    assert.isBelow(performance.now() - before, 4_000)
    if (era === "native") assert.strictEqual(await peer.ended(), "graceful")
    assert.instanceOf(await failure(peer.call("titles")), Error)
    await peer.leave()
  })

  it.runIf(era === "native")("SUB-09: hears from a process that is told to stop", async () => {
    const peer = await connect("stdio", { url: "", program: program() })
    process.kill(peer.pid() ?? 0, "SIGTERM")
    assert.strictEqual(await peer.ended(), "graceful")
    await peer.leave()
  })

  it("CANCEL-02 CHTTP-19: goes away in the middle of a call, and the server goes on with others", async () => {
    await using server = await openTheatre()
    const target = { url: server.url, program: "" }
    const [peer, other] = [await connect("http", target), await connect("http", target)]
    const began = new Promise<void>((resolve) => {
      void failure(peer.call("wait", {}, { onprogress: () => resolve() }))
    })
    await began
    await (era === "native" ? peer.leave() : peer.close())
    const stopped = async () => (await other.call("stopped"))["structuredContent"].value
    for (let tries = 0; tries < 100 && (await stopped()) === 0; tries++);
    assert.strictEqual(await stopped(), 1)
    await other.close()
  })

  it.runIf(era === "compat")(
    "CHTTP-12: loses its connections in the middle of a call, and comes back for the rest",
    async () => {
      await using server = await openTheatre()
      const target = { url: server.url, program: "" }
      const [peer, other] = [await connect("http", target), await connect("http", target)]
      const came = new Promise<void>((resolve) => {
        server.server.on("request", ({ headers }) => {
          if (headers["last-event-id"] !== undefined) resolve()
        })
      })
      const onprogress = () => server.server.closeAllConnections()
      const result = peer.call("rehearse", { steps: 1, applause: true }, { onprogress })
      await came
      await other.call("applaud")
      assert.strictEqual(textOf(await result), "curtain")
      await Promise.all([peer.close(), other.close()])
    }
  )

  it.runIf(client === "SDK 1.32")(
    "CHTTP-12: comes back after an error on a stream, and is told that nothing more comes",
    async () => {
      await using server = await openTheatre()
      const statuses = new Recorder<number>()
      server.server.on("request", ({ headers }, res) => {
        if (headers["last-event-id"] !== undefined) res.on("finish", () => statuses.record(res.statusCode))
      })
      const peer = await connect("http", { url: server.url, program: "" })
      peer.mood.action = "break"
      assert.deepInclude(await failure(peer.read("theatre://guest")), { code: -32603 })
      assert.strictEqual(await statuses.first(() => true), 204)
      await peer.close()
      assert.deepStrictEqual(peer.errors, [])
    }
  )

  it.each(doors)("ELIC-02 TOOL-20: over %s, is told what it would have to be asked", async (door) => {
    await using server = await openTheatre()
    const peer = await connect(door, { url: server.url, program: program() }, {})
    const native = era === "native"
    for (const [name, args, requiredCapabilities] of [
      ["book", { show: "Faust" }, { elicitation: { form: {} } }],
      ["suggest", {}, { sampling: {} }],
      ["decide", {}, { sampling: { tools: {} } }],
      ["folders", {}, { roots: {} }]
    ] as const) {
      const error = await failure(peer.call(name, args))
      assert.deepInclude(error, { code: native ? -32021 : -32602, data: { requiredCapabilities } })
    }
    assert.strictEqual(textOf(await peer.call("say", { text: "on" })), "on")
    await peer.close()
    assert.deepStrictEqual(peer.errors, [])
  })
})

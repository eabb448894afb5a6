/**
 * Official clients that lose something: their server, their connection, or what they could have been asked.
 */
import { assert, describe, it } from "@effect/vitest"
import { failure, openTheatre, program, textOf } from "./everyPeer.ts"
import { doors, peers } from "./officialPeers.ts"

describe.each(peers)("$client", ({ connect, era }) => {
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

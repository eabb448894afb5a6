/**
 * What happens while a request runs or a client listens, to the official clients of two generations, in both eras, over
 * HTTP and over a child process: progress, logs, cancellation, questions and changes.
 */
import { assert, describe, it } from "@effect/vitest"
import type { RawMessage } from "@treadle/testing"
import { describeEveryPeer, failure, openTheatre, program, rows, textOf } from "./everyPeer.ts"
import type { Heard } from "./officialPeers.ts"

const isLog = (event: Heard) => event.what === "log"

describeEveryPeer(({ compat, door, peer, returns }) => {
  it("PROG-02: hears progress while the call runs", async () => {
    const { call } = peer()
    const told: Array<RawMessage> = []
    const onprogress = (one: RawMessage) => {
      told.push(one)
      if (one["progress"] === 3) void call("applaud")
    }
    const result = await call("rehearse", { steps: 3, applause: true }, { onprogress })
    assert.strictEqual(textOf(result), "curtain")
    assert.deepStrictEqual(
      told,
      [1, 2, 3].map((progress) => ({ progress, total: 3, message: `act ${progress}` }))
    )
  })

  it("CHTTP-04: comes back for the rest of a call that let it wait", async () => {
    const { call } = peer()
    const told: Array<unknown> = []
    const onprogress = ({ progress }: RawMessage) => {
      told.push(progress)
      if (progress === 2) void call("applaud")
    }
    assert.strictEqual(textOf(await call("interval", {}, { onprogress })), "second act")
    assert.deepStrictEqual(told, [1, 2])
    assert.strictEqual(returns(), compat && door === "http" ? 1 : 0)
  })

  it("LOG-02 LOG-07: hears the log of a call at the level that it asked for", async () => {
    const { call, heard, setLevel } = peer()
    const before = heard.events.length
    await call("rehearse", { steps: 1 })
    assert.deepStrictEqual(heard.events.slice(before).filter(isLog), [])
    if (compat) await setLevel("warning")
    const level = compat ? {} : { "io.modelcontextprotocol/logLevel": "warning" }
    await call("rehearse", { steps: 1 }, {}, level)
    await heard.first(isLog)
    assert.deepStrictEqual(heard.events.slice(before).filter(isLog), [
      { what: "log", params: { level: "warning", logger: "stage", data: { act: 1 } } }
    ])
  })

  it("CANCEL-02 D10: takes a call back, whose handler is interrupted, and goes on", async () => {
    const { call } = peer()
    const stopped = async () => (await call("stopped"))["structuredContent"].value
    const before = await stopped()
    const abort = new AbortController()
    const error = await failure(call("wait", {}, { onprogress: () => abort.abort(), signal: abort.signal }))
    assert.instanceOf(error, Error)
    let after = await stopped()
    for (let tries = 0; tries < 100 && after === before; tries++) after = await stopped()
    assert.strictEqual(after, before + 1)
  })

  it("D14: is asked by forms and pages from a tool, whose step runs once for each call", async () => {
    const { asked, call } = peer()
    const before = asked.length
    const first = textOf(await call("book", { show: "Faust" }))
    const [, number] = /^(\d+): 3 seats in the back for Faust, payment: accept$/.exec(first) ?? []
    assert.isDefined(number)
    const [form, page, ...more] = asked.slice(before)
    assert.deepStrictEqual(more, [])
    assert.deepInclude(form?.params, { message: "How many seats for Faust?" })
    assert.deepStrictEqual(form?.params["requestedSchema"], {
      type: "object",
      properties: {
        seats: { type: "integer", default: 2 },
        row: { type: "string", enum: ["front", "back"] },
        name: { type: "string" }
      },
      required: ["seats", "row"]
    })
    assert.deepInclude(page?.params, { mode: "url", message: "Pay", url: `https://theatre.example/pay/${number}` })
    assert.strictEqual(page?.params["elicitationId"] !== undefined, compat)
    assert.include(textOf(await call("book", { show: "Faust" })), `${Number(number) + 1}: `)
  })

  it("ELIC-08: says no to a form", async () => {
    const { call, mood } = peer()
    for (const action of ["decline", "cancel"] as const) {
      mood.action = action
      const result = await call("book", { show: "Faust" })
      assert.isTrue(result["isError"])
      assert.strictEqual(textOf(result), `Nothing was booked: ${action}`)
    }
    mood.action = "accept"
  })

  it.runIf(compat)("ELIC-08: cannot answer, and its call goes on", async () => {
    const { call, mood } = peer()
    mood.action = "break"
    const result = await call("book", { show: "Faust" })
    mood.action = "accept"
    assert.isTrue(result["isError"])
    assert.include(textOf(result), 'The client did not answer "details": ')
  })

  it("SAMP-01 ROOT-01: is asked for a message of its model, with and without tools, and for its folders", async () => {
    const { call } = peer()
    assert.strictEqual(textOf(await call("suggest")), "Hamlet")
    assert.include(textOf(await call("decide")), `"name":"look"`)
    assert.strictEqual(textOf(await call("folders")), "stage: file:///stage")
    assert.strictEqual(textOf(await call("together")), "accept, Hamlet, stage: file:///stage")
  })

  it("D14 MRTR-02: is asked by a prompt and by a resource", async () => {
    assert.strictEqual((await peer().prompt("invite"))["messages"][0].content.text, "The guest said: accept")
    assert.strictEqual((await peer().read("theatre://guest"))["contents"][0].text, "The guest said: accept")
  })

  it("SUB-06 TOOL-04 CHTTP-07: hears on its own that a list has changed", async () => {
    const { call, heard } = peer()
    for (const what of ["tools", "prompts", "resources"] as const) {
      await call("change", { what })
      const told = await heard.first((event) => event.what === what)
      assert("items" in told)
      assert.isAbove(told.items.length, 2)
    }
  })

  it("CSUB-01 SUB-08: hears that a resource has changed, until it no longer wants to", async () => {
    const { call, heard, subscribe } = peer()
    const updates = () => heard.events.filter(({ what }) => what === "updated").length
    const end = await subscribe("theatre://board")
    await call("change", { what: "board" })
    const told = await heard.first(({ what }) => what === "updated")
    assert("params" in told)
    assert.strictEqual(told.params["uri"], "theatre://board")
    await end()
    await call("change", { what: "board" })
    const lists = () => heard.events.filter(({ what }) => what === "prompts").length
    const before = lists()
    await call("change", { what: "prompts" })
    await heard.first(() => lists() > before)
    assert.strictEqual(updates(), 1)
  })

  it.runIf(compat)("INIT-11 CSUB-02: is answered a ping, and may say that its folders changed", async () => {
    await peer().ping()
    await peer().rootsChanged()
  })
})

describe("all of them at once", () => {
  it("TIME-04: wait longer than their time limit, as long as they hear of progress", async () => {
    await using server = await openTheatre()
    const target = { url: server.url, program: program() }
    const waited = rows.map(async ({ connect, door }) => {
      const peer = await connect(door, target)
      const result = await peer.call(
        "rehearse",
        { steps: 20, ms: 100 },
        { timeout: 1_500, resetTimeoutOnProgress: true, onprogress: () => {} }
      )
      await peer.close()
      return textOf(result)
    })
    assert.deepStrictEqual(
      await Promise.all(waited),
      rows.map(() => "curtain")
    )
  })
})

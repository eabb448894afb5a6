/**
 * Every feature of a server, used by the official clients of two generations, in both eras, over HTTP and over a child
 * process. Each client lists the tools first, so that it checks what it is answered against what is published.
 */
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import type { RawMessage } from "@treadle/testing"
import { McpNode, type Listening } from "../../src/node/index.ts"
import { bundled } from "../fixtures/bundled.ts"
import { said } from "../fixtures/calling.ts"
import { seats, theatre } from "../fixtures/theatre.ts"
import { doors, peers, type Heard, type Peer, type Target } from "./officialPeers.ts"

let listening: Listening | undefined
let target: Target = { url: "", program: "" }

beforeAll(async () => {
  listening = await McpNode.listen(theatre((change) => listening?.changed(change)))
  target = { url: listening.url, program: bundled("theatreChild") }
})

afterAll(() => listening?.close())

const icons = [{ src: "https://theatre.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }]
const meta = { "com.example/floor": 2 }
const data = "iVBORw=="

/** A result without what the server says of itself in each. */
const own = (result: RawMessage): RawMessage => {
  const { _meta, ...rest } = result
  const { "io.modelcontextprotocol/serverInfo": _, ...others } = _meta ?? {}
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}

const failure = (promise: Promise<unknown>): Promise<RawMessage> =>
  promise.then(
    (value) => ({ value }),
    (error: Error) => error
  )

const named = (list: ReadonlyArray<RawMessage>, name: string): RawMessage =>
  list.find((entry) => entry["name"] === name) ?? {}

const isLog = (event: Heard) => event.what === "log"

const rows = peers.flatMap((row) => doors.map((door) => ({ ...row, door })))

describe.each(rows)("$peer over $door", ({ connect, door, era, missing, version }) => {
  let connected: Peer | undefined
  const peer = (): Peer => {
    assert(connected)
    return connected
  }
  const compat = era === "compat"

  beforeAll(async () => {
    connected = await connect(door, target)
    await connected.tools()
  })

  it("INIT-03 DISC-01: learns who serves it, and what", () => {
    assert.strictEqual(peer().version, version)
    assert.strictEqual(peer().session() !== undefined, compat && door === "http")
    assert.deepStrictEqual(peer().about(), {
      server: {
        name: "theatre",
        version: "1.2.3",
        title: "The theatre",
        websiteUrl: "https://theatre.example",
        icons
      },
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
        extensions: { "com.example/tickets": { currency: "EUR" } }
      },
      instructions: "Ask for a show before booking it."
    })
  })

  it("TOOL-08: lists tools with all that is said of them", async () => {
    const tools = await peer().tools()
    assert.strictEqual(tools.length, 20)
    const { inputSchema, outputSchema, ...rest } = named(tools, "show")
    assert.deepStrictEqual(rest, {
      name: "show",
      title: "A show",
      description: "One bill",
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons,
      _meta: meta
    })
    assert.deepInclude(inputSchema, { type: "object", required: ["id"] })
    assert.strictEqual(outputSchema.type, "object")
    assert.strictEqual(named(tools, "venue")["inputSchema"].properties.city["x-mcp-header"], "City")
  })

  it("D4 TOOL-11: reads structured results of every shape", async () => {
    const { call } = peer()
    const { content, structuredContent } = await call("show", { id: 1 })
    assert.deepStrictEqual(structuredContent, { id: 1, title: "Hamlet" })
    assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
    assert.deepStrictEqual((await call("titles"))["structuredContent"], { value: ["Hamlet", "Faust"] })
    assert.deepStrictEqual((await call("next"))["structuredContent"], { value: null })
    const chart = await call("chart")
    assert.deepStrictEqual(chart["structuredContent"], { months: 12 })
    assert.deepStrictEqual(chart["content"][1], { type: "image", data, mimeType: "image/png" })
  })

  it("D5 TOOL-11 TOOL-16: reads declared errors, refusals and defects as results that fit what is published", async () => {
    const { call } = peer()
    const notFound = await call("show", { id: 9 })
    assert.isTrue(notFound["isError"])
    assert.deepStrictEqual(notFound["structuredContent"], { _tag: "ShowNotFound", id: 9 })
    assert.deepStrictEqual(notFound["content"], [{ type: "text", text: "There is no show 9." }])
    const soldOut = await call("show", { id: 2 })
    assert.isTrue(soldOut["isError"])
    assert.deepStrictEqual(soldOut["structuredContent"], { _tag: "SoldOut", left: 0 })
    for (const result of [await call("show", { id: "one" }), await call("refuse"), await call("bug")]) {
      assert.isTrue(result["isError"])
      assert.isUndefined(result["structuredContent"])
      assert.notInclude(JSON.stringify(result), "secret")
    }
  })

  it("TOOL-10: reads every kind of content, and _meta", async () => {
    const { _meta, content, isError } = await peer().call("blocks")
    assert.deepStrictEqual(own({ _meta, content, isError }), {
      _meta: meta,
      isError: undefined,
      content: [
        { type: "text", text: "Everything" },
        { type: "image", data, mimeType: "image/png" },
        { type: "audio", data, mimeType: "audio/wav" },
        {
          type: "resource_link",
          uri: "theatre://board",
          name: "The board",
          description: "Tonight",
          mimeType: "text/markdown"
        },
        { type: "resource", resource: { uri: "theatre://note", mimeType: "text/plain", text: "A note", _meta: meta } }
      ]
    })
    assert.strictEqual(said((await peer().call("say", { text: "Zürich\n\u2028" })) as never), "Zürich\n\u2028")
    assert.deepStrictEqual((await peer().call("nothing"))["content"], [])
  })

  it("XHDR-10: sends what a header repeats, in any script", async () => {
    for (const city of ["Oslo", "Zürich", " padded ", "=?base64?T3Nsbw==?="]) {
      assert.deepStrictEqual((await peer().call("venue", { city }))["structuredContent"], { city, rows: 10 })
    }
  })

  it("ERR-03 RES-04: is told of what is not there", async () => {
    const { call, prompt, read } = peer()
    assert.deepInclude(await failure(call("none")), { code: -32602 })
    assert.deepInclude(await failure(prompt("none")), { code: -32602 })
    assert.deepInclude(await failure(prompt("evening", { city: "Oslo" })), { code: -32602 })
    assert.deepInclude(await failure(read("theatre://none")), { code: missing })
    assert.deepInclude(await failure(read("theatre://safe")), { code: -32603 })
  })

  it("RES-03: reads text, bytes, several contents and templates", async () => {
    const { read } = peer()
    const contents = async (uri: string) => (await read(uri))["contents"]
    assert.deepStrictEqual(await contents("theatre://board"), [
      { uri: "theatre://board", mimeType: "text/markdown", text: "- Hamlet" }
    ])
    assert.deepStrictEqual(await contents("theatre://poster"), [
      { uri: "theatre://poster", mimeType: "image/png", blob: data }
    ])
    assert.deepStrictEqual(await contents("theatre://programme"), [
      { uri: "theatre://programme/1", mimeType: "text/plain", text: "Act one", _meta: meta },
      { uri: "theatre://programme/2", mimeType: "image/png", blob: data }
    ])
    assert.deepStrictEqual(await contents("theatre://shows/12?lang=de"), [
      { uri: "theatre://shows/12?lang=de", mimeType: "text/plain", text: "Was ihr wollt" }
    ])
  })

  it("PAGE-01: walks the pages of a list", async () => {
    const uris: Array<string> = []
    const { resources } = peer()
    // The second generation walks by itself unless it is given a cursor.
    let page = await resources()
    uris.push(...page["resources"].map(({ uri }: RawMessage) => uri))
    while (page["nextCursor"] !== undefined) {
      page = await resources(page["nextCursor"])
      uris.push(...page["resources"].map(({ uri }: RawMessage) => uri))
    }
    assert.strictEqual(new Set(uris).size, seats + 5)
    assert.strictEqual(uris.length, seats + 5)
    assert.deepInclude(await failure(resources("none")), { code: -32602 })
  })

  it("RES-01: lists resources and templates with all that is said of them", async () => {
    const { resources, templates } = peer()
    assert.deepStrictEqual(named((await resources())["resources"], "board"), {
      uri: "theatre://board",
      name: "board",
      title: "The board",
      description: "Tonight's shows",
      mimeType: "text/markdown",
      size: 8,
      icons,
      annotations: { audience: ["user"], priority: 0.5 },
      _meta: meta
    })
    assert.deepStrictEqual(await templates(), [
      {
        uriTemplate: "theatre://shows/{id}{?lang}",
        name: "show",
        description: "The title of a show",
        mimeType: "text/plain",
        icons,
        _meta: meta
      }
    ])
  })

  it("PROMPT-02: lists prompts and gets their messages", async () => {
    const { prompt, prompts } = peer()
    assert.deepStrictEqual(named(await prompts(), "evening"), {
      name: "evening",
      title: "An evening",
      description: "Plans an evening",
      icons,
      _meta: meta,
      arguments: [
        { name: "city", description: "Where", required: true },
        { name: "show", required: true },
        { name: "seats", description: "How many" }
      ]
    })
    const user = { role: "user" }
    assert.deepStrictEqual((await prompt("greet"))["messages"], [
      { ...user, content: { type: "text", text: "Where are you tonight?" } }
    ])
    assert.deepStrictEqual((await prompt("evening", { city: "Oslo", show: "Hamlet" }))["messages"], [
      { ...user, content: { type: "text", text: "Hamlet in Oslo, for 2." } },
      { ...user, content: { type: "resource", resource: { uri: "theatre://note", text: "A note" } } },
      { role: "assistant", content: { type: "image", data, mimeType: "image/png" } }
    ])
  })

  it("COMP-02: completes arguments of prompts, by what was chosen, and variables of templates", async () => {
    const { complete } = peer()
    const evening = { type: "ref/prompt", name: "evening" } as const
    const template = { type: "ref/resource", uri: "theatre://shows/{id}{?lang}" } as const
    assert.deepInclude(await complete(evening, "city", "O"), { values: ["Oslo"] })
    assert.deepInclude(await complete(evening, "show", "H", { city: "Oslo" }), { values: ["Hamlet", "Hedda Gabler"] })
    assert.deepInclude(await complete(evening, "show", "", { city: "Paris" }), { values: ["Tartuffe"] })
    assert.deepInclude(await complete(template, "id", "1"), { values: ["1", "12"] })
    assert.deepInclude(await failure(complete({ type: "ref/prompt", name: "none" }, "x", "")), { code: -32602 })
  })

  it("PROG-02: hears progress while the call runs", async () => {
    const { call } = peer()
    const told: Array<RawMessage> = []
    const onprogress = (one: RawMessage) => {
      told.push(one)
      if (one["progress"] === 3) void call("applaud")
    }
    const result = await call("rehearse", { steps: 3, applause: true }, { onprogress })
    assert.strictEqual(said(result as never), "curtain")
    assert.deepStrictEqual(
      told,
      [1, 2, 3].map((progress) => ({ progress, total: 3, message: `act ${progress}` }))
    )
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
    const first = said((await call("book", { show: "Faust" })) as never)
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
    assert.include(said((await call("book", { show: "Faust" })) as never), `${Number(number) + 1}: `)
  })

  it("ELIC-08: says no to a form", async () => {
    const { call, mood } = peer()
    for (const action of ["decline", "cancel"] as const) {
      mood.action = action
      const result = await call("book", { show: "Faust" })
      assert.isTrue(result["isError"])
      assert.strictEqual(said(result as never), `Nothing was booked: ${action}`)
    }
    mood.action = "accept"
  })

  it("SAMP-01 ROOT-01: is asked for a message of its model, with and without tools, and for its folders", async () => {
    const { call } = peer()
    assert.strictEqual(said((await call("suggest")) as never), "Hamlet")
    assert.include(said((await call("decide")) as never), `"name":"look"`)
    assert.strictEqual(said((await call("folders")) as never), "stage: file:///stage")
    assert.strictEqual(said((await call("together")) as never), "accept, Hamlet, stage: file:///stage")
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

  it.runIf(compat)("BASE-11: reads results without what only newer ones have", async () => {
    const { call, prompt, read, resources } = peer()
    for (const result of [
      await call("titles"),
      await prompt("greet"),
      await read("theatre://board"),
      await resources()
    ]) {
      for (const member of ["resultType", "ttlMs", "cacheScope", "_meta"]) assert.notProperty(result, member)
    }
  })

  it.runIf(compat)("INIT-11 CSUB-02: is answered a ping, and may say that its folders changed", async () => {
    await peer().ping()
    await peer().rootsChanged()
  })

  it("closes: its session has ended, its process too, and nothing was left that it could not make sense of", async () => {
    const { close, errors, pid, session } = peer()
    const [id, process] = [session(), pid()]
    await close()
    assert.deepStrictEqual(errors, [])
    if (id !== undefined) {
      const headers = { "content-type": "application/json", "mcp-session-id": id }
      const ping = { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) }
      assert.strictEqual((await fetch(target.url, ping)).status, 404)
    }
    if (process !== null) assert.throws(() => globalThis.process.kill(process, 0), "ESRCH")
  })
})

describe("all of them at once", () => {
  it("TIME-04: wait longer than their time limit, as long as they hear of progress", async () => {
    const waited = rows.map(async ({ connect, door }) => {
      const peer = await connect(door, target)
      const result = await peer.call(
        "rehearse",
        { steps: 4, ms: 500 },
        { timeout: 1_200, resetTimeoutOnProgress: true, onprogress: () => {} }
      )
      await peer.close()
      return said(result as never)
    })
    assert.deepStrictEqual(
      await Promise.all(waited),
      rows.map(() => "curtain")
    )
  })
})

/**
 * All that a server offers, listed and used by the official clients of two generations, in both eras, over HTTP and over
 * a child process. Each client lists the tools first, so that it checks what it is answered against what is published.
 */
import { assert, it } from "@effect/vitest"
import type { RawMessage } from "@treadle/testing"
import { seats } from "../fixtures/theatre.ts"
import { describeEveryPeer, failure, textOf } from "./everyPeer.ts"

const icons = [{ src: "https://theatre.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }]
const meta = { "com.example/floor": 2 }
const data = "iVBORw=="

/** A result without what the server says of itself in each. */
const own = (result: RawMessage): RawMessage => {
  const { _meta, ...rest } = result
  const { "io.modelcontextprotocol/serverInfo": _, ...others } = _meta ?? {}
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}

const named = (list: ReadonlyArray<RawMessage>, name: string): RawMessage =>
  list.find((entry) => entry["name"] === name) ?? {}

describeEveryPeer(({ compat, door, missing, peer, version }) => {
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
    assert.strictEqual(tools.length, 21)
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

  it("D4 D6 TOOL-11: reads structured results of every shape", async () => {
    const { call } = peer()
    const { content, structuredContent } = await call("show", { id: 1 })
    assert.deepStrictEqual(structuredContent, { id: 1, title: "Hamlet" })
    assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
    assert.deepStrictEqual((await call("show", { id: 1, unknown: true }))["structuredContent"], structuredContent)
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
    assert.strictEqual(textOf(await peer().call("say", { text: "Zürich\n\u2028" })), "Zürich\n\u2028")
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
})

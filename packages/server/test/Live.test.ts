/**
 * What is served changes while it is served: each list, in both eras, and what keeps a change from happening.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { describeBuildError, Mcp, McpBuildErrors, type LiveSettings } from "../src/index.ts"
import { empty } from "./fixtures/calling.ts"
import { note } from "./fixtures/cells.ts"
import { compatDoor } from "./fixtures/compatDoor.ts"
import { bothEras, type Ask } from "./fixtures/eras.ts"
import { headersOf } from "./fixtures/rawPeers.ts"

/** A part with one entry of each list, or more, which say this text. */
const part = (said: string, ...names: ReadonlyArray<string>): Mcp<never> =>
  names.reduce(
    (mcp, name) =>
      mcp
        .tool(name, { description: said }, async () => said)
        .prompt(name, { description: said }, async () => said)
        .resource({ uri: `x://${name}`, name, description: said }, async () => said)
        .template({ uriTemplate: `x://${name}/{id}`, name, description: said }, async () => said),
    empty()
  )

/** What a removal gives where nothing was there. */
const nothing = { tools: [], operations: [], prompts: [], resources: [], templates: [] }

/** The lists, each with how one of its entries is used and what is said of one that is not there. */
const lists = [
  {
    list: "tools",
    method: "tools/list",
    member: "tools",
    key: (name: string) => name,
    use: (ask: Ask, name: string) => ask("tools/call", { name }),
    said: (answer: RawMessage) => answer["result"].content[0].text
  },
  {
    list: "prompts",
    method: "prompts/list",
    member: "prompts",
    key: (name: string) => name,
    use: (ask: Ask, name: string) => ask("prompts/get", { name }),
    said: (answer: RawMessage) => answer["result"].messages[0].content.text
  },
  {
    list: "resources",
    method: "resources/list",
    member: "resources",
    key: (name: string) => `x://${name}`,
    use: (ask: Ask, name: string) => ask("resources/read", { uri: `x://${name}` }),
    said: (answer: RawMessage) => answer["result"].contents[0].text
  },
  {
    list: "templates",
    method: "resources/templates/list",
    member: "resourceTemplates",
    key: (name: string) => `x://${name}/{id}`,
    use: (ask: Ask, name: string) => ask("resources/read", { uri: `x://${name}/1` }),
    said: (answer: RawMessage) => answer["result"].contents[0].text
  }
] as const

type List = (typeof lists)[number]

/** A list as it is shown: each entry with the text that it was defined with. */
const shown = (ask: Ask, { member, method }: List): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(ask(method), (answer) =>
    answer["result"][member].map((entry: any) => `${entry.name} ${entry.description}`)
  )

const eras = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const { compat, native, served } = yield* bothEras(mcp, {})
    return { served, asks: [native(), yield* compat(), yield* compat("2024-11-05")] }
  })

describe.each(lists)("the list of $list", (list) => {
  const { key, said, use } = list

  it.effect("TOOL-04 RES-13: has what was added at its end, and what was replaced in its place", () =>
    Effect.gen(function* () {
      const { asks, served } = yield* eras(part("old", "a", "b", "c"))
      yield* served.live.add(part("new", "d"))
      yield* served.live.replace(part("newer", "e", "b"))
      for (const ask of asks) {
        assert.deepStrictEqual(yield* shown(ask, list), ["a old", "b newer", "c old", "d new", "e newer"])
        const texts = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) => use(ask, name))
        assert.deepStrictEqual(texts.map(said), ["old", "newer", "old", "new", "newer"])
      }
    })
  )

  it.effect("TOOL-15 RES-04 PROMPT-03: has nothing of what was removed, which is answered as what never was", () =>
    Effect.gen(function* () {
      const { asks, served } = yield* eras(part("old", "a", "b"))
      const before = yield* Effect.forEach(asks, (ask) => use(ask, "never"))
      const removed = yield* served.live.remove({ [list.list]: [key("never"), key("b"), key("b")] })
      assert.deepStrictEqual(removed, { ...nothing, [list.list]: [key("b")] })
      for (const [at, ask] of asks.entries()) {
        assert.deepStrictEqual(yield* shown(ask, list), ["a old"])
        const error = JSON.parse(JSON.stringify((yield* use(ask, "b"))["error"]).replaceAll(/\bb\b/g, "never"))
        assert.deepStrictEqual(error, before[at]?.["error"])
        for (const other of lists.filter((one) => one !== list)) {
          assert.deepStrictEqual(yield* shown(ask, other), ["a old", "b old"], other.list)
        }
      }
    })
  )

  it.effect("TOOL-01 RES-01: may become empty, and is still a list", () =>
    Effect.gen(function* () {
      const { asks, served } = yield* eras(part("old", "a"))
      yield* served.live.remove({ [list.list]: [key("a")] })
      for (const ask of asks) assert.deepStrictEqual(yield* shown(ask, list), [])
      yield* served.live.add(part("new", "b"))
      for (const ask of asks) assert.include(yield* shown(ask, list), "b new")
    })
  )

  it.effect(
    "D1: takes nothing that it has already, and says where both were defined; nothing of the part is added",
    () =>
      Effect.gen(function* () {
        const { asks, served } = yield* eras(part("old", "a", "b"))
        const before = yield* Effect.forEach(lists, (one) => shown(asks[0] as Ask, one))
        const { errors, message } = yield* Effect.flip(served.live.add(part("new", "c", "b", "a")))
        const tags = { tools: "DuplicateTool", prompts: "DuplicatePrompt" } as const
        const tag = list.list === "tools" || list.list === "prompts" ? tags[list.list] : "DuplicateResource"
        const mine = errors.filter((error) => error._tag === tag && Object.values(error).includes(key("b")))
        assert.lengthOf(mine, 1)
        assert.match(
          describeBuildError(mine[0] as (typeof errors)[number]),
          /\(Live\.test\.ts:\d+, Live\.test\.ts:\d+\)/
        )
        const kind = { tools: "tool", prompts: "prompt", resources: "resource", templates: "template" }[list.list]
        const told = describeBuildError(mine[0] as (typeof errors)[number])
        assert.match(told, new RegExp(`^${kind} "`))
        assert.match(told, /(?:Rename all but one|Give each its own URI), or use live\.replace\.$/)
        assert.lengthOf(errors, 8)
        assert.match(
          message,
          /^MCP server "suite" cannot be changed, for 8 reasons:\n {2}1\. tool "a" is added 2 times/
        )
        for (const ask of asks) {
          assert.deepStrictEqual(yield* Effect.forEach(lists, (one) => shown(ask, one)), before)
        }
      })
  )
})

describe("a change", () => {
  it.effect("D1: is checked like a server: every reason at once, and nothing happens", () =>
    Effect.gen(function* () {
      const { asks, served } = yield* eras(part("old", "a"))
      const faulty = part("new", "fine", "a")
        .tool("a b" as "ab", { description: "Tested" }, async () => "")
        .tool("twice", { description: "Tested" }, async () => "")
        .tool("twice", { description: "Tested" }, async () => "")
        .resource({ uri: "no-scheme", name: "n" }, async () => "")
      const { errors, message } = yield* Effect.flip(served.live.replace(faulty))
      const tags = errors.map(({ _tag, place }) => [_tag, place.replace(/\d+/, "N")])
      assert.match(message, /Rename all but one\.$/m)
      const place = "Live.test.ts:N"
      assert.deepStrictEqual(tags, [
        ["InvalidToolName", place],
        ["DuplicateTool", place],
        ["InvalidUri", place]
      ])
      for (const list of lists) assert.deepStrictEqual(yield* shown(asks[0] as Ask, list), ["a old"])
    })
  )

  it.effect("XHDR-04: changes the headers that a call must repeat, with the tool", () =>
    Effect.gen(function* () {
      const mirrored = (header: string) =>
        empty().tool(
          "t",
          { description: "Tested", input: { v: Schema.String.annotate(note(header)) } },
          async ({ v }) => v
        )
      const { send, served } = yield* compatDoor(mirrored("Old"))
      const call = rawToolCall(1, "t", { v: "x" })
      const codes = Effect.forEach(["old", "new"], (header) =>
        Effect.map(
          send(call, { headers: { ...headersOf(call), [`mcp-param-${header}`]: "x" } }),
          ({ answer }) => answer["error"]?.code
        )
      )
      assert.deepStrictEqual(yield* codes, [undefined, -32020])
      yield* served.live.replace(mirrored("New"))
      assert.deepStrictEqual(yield* codes, [-32020, undefined])
    })
  )

  it.effect("RES-04: finds a resource by its URI, however that is written", () =>
    Effect.gen(function* () {
      const cafe = (uri: string, text: string) => empty().resource({ uri, name: text }, async () => text)
      const { native, served } = yield* bothEras(cafe("x://caf%c3%a9", "old"), {})
      yield* served.live.replace(cafe("x://café", "new"))
      const { result } = yield* native()("resources/list")
      assert.deepStrictEqual(
        result.resources.map(({ name, uri }: { readonly name: string; readonly uri: string }) => [name, uri]),
        [["new", "x://café"]]
      )
      const removed = yield* served.live.remove({ resources: ["x://caf%C3%A9"] })
      assert.deepStrictEqual(removed.resources, ["x://café"])
    })
  )

  it.effect("PAGE-04 D15: makes cursors of its own list old, and of no other", () =>
    Effect.gen(function* () {
      const { native, served } = yield* bothEras(part("old", "a", "b", "c"), {}, { limits: { pageSize: 1 } })
      const cursor = (method: string) => Effect.map(native()(method), (answer): string => answer["result"].nextCursor)
      const given = yield* Effect.forEach(lists, ({ method }) => cursor(method))
      yield* served.live.replace(empty().tool("c", { description: "new" }, async () => "new"))
      const answers = yield* Effect.forEach(lists, ({ method }, at) => native()(method, { cursor: given[at] }))
      assert.deepStrictEqual(
        answers.map((answer) => answer["error"]?.code ?? answer["result"].nextCursor !== undefined),
        [-32602, true, true, true]
      )
    })
  )

  it.effect("D8: of a name, version and principal of the part is none", () =>
    Effect.gen(function* () {
      const { native, served } = yield* bothEras(
        empty().tool("t", { description: "Tested" }, async () => ""),
        {}
      )
      const before = yield* native()("server/discover")
      const other = Mcp.make({ name: "other", version: "9", instructions: "x", live: { prompts: true } })
      yield* served.live.add(other.tool("u", { description: "Tested" }, async () => ""))
      assert.deepStrictEqual((yield* native()("server/discover"))["result"], before["result"])
    })
  )
})

const declared = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const { both } = yield* bothEras(mcp, {})
    const discovered = yield* both("server/discover")
    return discovered[0]?.["result"].capabilities
  })

describe("what clients are told", () => {
  const settings: ReadonlyArray<readonly [LiveSettings, boolean, object]> = [
    [{}, false, {}],
    [{ tools: true }, false, { tools: { listChanged: true }, logging: {} }],
    [{ prompts: true }, false, { prompts: { listChanged: true }, completions: {}, logging: {} }],
    [{ resources: true }, false, { resources: { subscribe: true, listChanged: true }, completions: {}, logging: {} }],
    [
      { resources: true, subscriptions: false },
      false,
      { resources: { listChanged: true }, completions: {}, logging: {} }
    ],
    [{ tools: false, prompts: false, resources: false, subscriptions: true }, false, {}],
    [
      { tools: false, prompts: false, resources: false },
      true,
      { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {} }
    ],
    [
      {},
      true,
      {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {}
      }
    ]
  ]

  for (const [live, full, expected] of settings) {
    const has = full ? "with an entry in each list" : "without entries"
    it.effect(`D8 DISC-05: of a server ${has} and live ${JSON.stringify(live)}`, () =>
      Effect.gen(function* () {
        const made = Mcp.make({ name: "suite", version: "1.0.0", live })
        assert.deepStrictEqual(yield* declared(full ? made.add(part("x", "a")) : made), expected)
      })
    )
  }

  it.effect(
    "TOOL-01 RES-01: is kept: a list that is live is served while it is empty, and one that is not is -32601",
    () =>
      Effect.gen(function* () {
        const live = Mcp.make({
          name: "suite",
          version: "1.0.0",
          live: { tools: true, prompts: true, resources: true }
        })
        const { asks } = yield* eras(live)
        const { asks: none } = yield* eras(empty())
        for (const list of lists) {
          for (const ask of asks) assert.deepStrictEqual(yield* shown(ask, list), [])
          for (const ask of none) assert.strictEqual((yield* ask(list.method))["error"].code, -32601)
        }
      })
  )

  it.effect("D8: rules out what does not fit it, with the cure; nothing happens then", () =>
    Effect.gen(function* () {
      const completed = { description: "Tested", arguments: { city: Schema.String }, complete: { city: () => [] } }
      const fixed = Mcp.make({ name: "suite", version: "1.0.0", live: { tools: false } })
        .tool("t", { description: "Tested" }, async () => "t")
        .prompt("p", { description: "Tested" }, async () => "p")
        .extension("com.example/here")
      const { native, served } = yield* bothEras(fixed, {})
      const change = part("x", "u").prompt("q", completed, async () => "q")
      const errors = yield* Effect.flip(
        served.live.add(change.extension("com.example/here").extension("com.example/there"))
      )
      const told = errors.message.replaceAll(/:\d+/g, ":N").split("\n")
      assert.deepStrictEqual(told, [
        `MCP server "suite" cannot be changed, for 5 reasons:`,
        `  1. tool "u" (Live.test.ts:N): clients were told that the list of tools does not change, because live.tools is false (Live.test.ts:N): leave that out.`,
        `  2. resource "x://u" (Live.test.ts:N): clients were told that there are no resources, because there were none at the start: set live.resources to true (Live.test.ts:N).`,
        `  3. template "x://u/{id}" (Live.test.ts:N): clients were told that there are no resources, because there were none at the start: set live.resources to true (Live.test.ts:N).`,
        `  4. prompt "q" (Live.test.ts:N): clients were told that nothing is completed, because nothing was at the start: set live.prompts to true (Live.test.ts:N).`,
        `  5. extension "com.example/there" (Live.test.ts:N): clients were told of the extensions that there are: declare it where the server is made (Live.test.ts:N).`
      ])
      const removal = yield* Effect.flip(served.live.remove({ tools: ["t", "never"], prompts: ["p"] }))
      assert.instanceOf(removal, McpBuildErrors)
      assert.deepStrictEqual(
        removal.errors.map((error) => error._tag === "NotLive" && error.name),
        ["t"]
      )
      assert.deepStrictEqual(yield* shown(native(), lists[0]), ["t Tested"])
      assert.deepStrictEqual(yield* shown(native(), lists[1]), ["p Tested"])
    })
  )

  it.effect("COMP-01: a completion may come where a list of prompts or resources is live from the start", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({ name: "suite", version: "1.0.0", live: { prompts: true } })
      const { native, served } = yield* bothEras(mcp, {})
      const definition = {
        description: "Tested",
        arguments: { city: Schema.String },
        complete: { city: () => ["Oslo"] }
      }
      yield* served.live.add(empty().prompt("plan", definition, async () => ""))
      const params = { ref: { type: "ref/prompt", name: "plan" }, argument: { name: "city", value: "" } }
      const answer = yield* native()("completion/complete", params)
      assert.deepStrictEqual(answer["result"].completion.values, ["Oslo"])
    })
  )
})

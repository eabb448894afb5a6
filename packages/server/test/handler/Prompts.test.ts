/**
 * Prompts: their arguments, their messages, and what keeps them from being served.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { Arg, Content, Mcp, McpBuildErrors, Prompt, ToolFailed, type PromptBody } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { bare, bothEras } from "../fixtures/eras.ts"

type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(proof?: T) => assert.isUndefined(proof)

class Bill extends Context.Service<Bill, { readonly shows: ReadonlyArray<string> }>()("Bill") {}

const plain = { description: "A prompt" }
const user = (text: string) => ({ role: "user", content: { type: "text", text } })

describe("a prompt", () => {
  it.effect("PROMPT-01 D8: is advertised where there is one, and its methods do not exist elsewhere (B039)", () =>
    Effect.gen(function* () {
      const one = yield* bothEras(
        empty().prompt("p", plain, async () => ""),
        {}
      )
      assert.isDefined((yield* one.native()("server/discover"))["result"].capabilities.prompts)
      const none = yield* bothEras(empty(), {})
      assert.deepStrictEqual((yield* none.native()("server/discover"))["result"].capabilities, {})
      for (const method of ["prompts/list", "prompts/get"]) {
        const answers = yield* none.both(method, { name: "p" })
        assert.deepStrictEqual(
          answers.map(({ error }) => error.code),
          [-32601, -32601]
        )
      }
    })
  )

  it.effect("PROMPT-01: is listed with its arguments: which are required, and what was said of each", () =>
    Effect.gen(function* () {
      const mcp = empty()
        .prompt(
          "plan",
          {
            description: "Plans an evening",
            title: "Plan",
            icons: [{ src: "https://box.example/icon.png" }],
            meta: { "com.example/x": 1 },
            arguments: {
              day: Schema.String.annotate({ title: "Day", description: "Which day" }),
              seats: Schema.FiniteFromString.annotate({ description: "How many" }),
              lang: Arg.optional(Schema.Literals(["en", "de"]), "In which language"),
              tone: Arg.withDefault(Schema.String, "dry")
            }
          },
          async () => ""
        )
        .prompt(
          "zod",
          { ...plain, arguments: z.object({ a: z.string().describe("One"), b: z.string().optional() }) },
          async () => ""
        )
        .prompt("none", plain, async () => "")
      const prompts = [
        {
          name: "plan",
          title: "Plan",
          description: "Plans an evening",
          icons: [{ src: "https://box.example/icon.png" }],
          arguments: [
            { name: "day", title: "Day", description: "Which day", required: true },
            { name: "seats", description: "How many", required: true },
            { name: "lang", description: "In which language" },
            { name: "tone" }
          ],
          _meta: { "com.example/x": 1 }
        },
        { name: "zod", ...plain, arguments: [{ name: "a", description: "One", required: true }, { name: "b" }] },
        { name: "none", ...plain }
      ]
      const { both } = yield* bothEras(mcp, {})
      const [native, compat] = yield* both("prompts/list")
      assert.deepStrictEqual(bare(native), { prompts, ttlMs: 300_000, cacheScope: "public" })
      assert.deepStrictEqual(compat["result"], { prompts })
    })
  )

  const image = Content.image(Uint8Array.of(1), "image/png")
  const resource = Content.resource({ uri: "x://y", mimeType: "text/plain", text: "z" })
  const bodies: ReadonlyArray<readonly [string, PromptBody, ReadonlyArray<object>]> = [
    ["text", "Plan it", [user("Plan it")]],
    ["one message", Prompt.assistant("Shall I?"), [{ role: "assistant", content: { type: "text", text: "Shall I?" } }]],
    [
      "blocks of either side",
      [Prompt.user(image), Prompt.assistant(resource), Prompt.user("And now?")],
      [{ role: "user", content: image }, { role: "assistant", content: resource }, user("And now?")]
    ],
    ["no message", [], []]
  ]

  it.effect.each(bodies)("PROMPT-02: gives %s, and its description, in both eras", ([, body, messages]) =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(
        empty().prompt("p", plain, async () => body),
        {}
      )
      const [native, compat] = yield* both("prompts/get", { name: "p" })
      assert.deepStrictEqual(bare(native), { ...plain, messages })
      assert.deepStrictEqual(compat["result"], { ...plain, messages })
    })
  )

  it.effect("gives an old revision words for the blocks that it does not have", () =>
    Effect.gen(function* () {
      const body = [
        Prompt.user(Content.link("x://y", "The board")),
        Prompt.user(Content.audio("AA==", "audio/wav")),
        Prompt.user(image)
      ]
      const { compat } = yield* bothEras(
        empty().prompt("p", plain, async () => body),
        {}
      )
      const get = (version: string) =>
        Effect.gen(function* () {
          const ask = yield* compat(version)
          const answer = yield* ask("prompts/get", { name: "p" })
          return answer["result"].messages.map((message: any) => message.content.text ?? message.content.type)
        })
      assert.deepStrictEqual(yield* get("2025-06-18"), ["resource_link", "audio", "image"])
      assert.deepStrictEqual(yield* get("2025-03-26"), ["The board: x://y", "audio", "image"])
      assert.deepStrictEqual(yield* get("2024-11-05"), ["The board: x://y", "[audio, audio/wav]", "image"])
    })
  )
})

describe("the arguments of a prompt", () => {
  const mcp = empty()
    .prompt(
      "plan",
      {
        ...plain,
        arguments: {
          day: Schema.String,
          seats: Schema.FiniteFromString,
          lang: Schema.optionalKey(Schema.Literals(["en", "de"])),
          tone: Arg.withDefault(Schema.String, "dry")
        }
      },
      async (args) => {
        is<
          Eq<
            typeof args,
            { readonly day: string; readonly seats: number; readonly tone: string; readonly lang?: "en" | "de" }
          >
        >()
        return JSON.stringify(args)
      }
    )
    .prompt(
      "zod",
      { ...plain, arguments: z.object({ n: z.string().transform(Number), word: z.string().default("x") }) },
      async (args) => JSON.stringify(args)
    )
    .prompt("struct", { ...plain, arguments: Schema.Struct({ a: Schema.String }) }, async ({ a }) => a)
    .prompt("none", plain, async (args) => JSON.stringify(args))

  it.effect("PROMPT-02: are decoded, defaults are filled in, and what the prompt does not have is dropped", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(mcp, {})
      const got = (name: string, args?: object) =>
        Effect.map(
          native()("prompts/get", { name, ...(args === undefined ? {} : { arguments: args }) }),
          (answer) => answer["result"].messages[0].content.text
        )
      assert.strictEqual(
        yield* got("plan", { day: "mon", seats: "2", other: "?" }),
        JSON.stringify({ day: "mon", seats: 2, tone: "dry" })
      )
      assert.strictEqual(yield* got("zod", { n: "4" }), JSON.stringify({ n: 4, word: "x" }))
      assert.strictEqual(yield* got("struct", { a: "b" }), "b")
      assert.strictEqual(yield* got("none"), "{}")
      assert.strictEqual(yield* got("none", { a: "b" }), "{}")
    })
  )

  it.effect(
    "PROMPT-03 PROMPT-04: that do not fit are -32602 with every problem, before the author's function runs",
    () =>
      Effect.gen(function* () {
        const { both } = yield* bothEras(mcp, {})
        for (const { error } of yield* both("prompts/get", { name: "plan", arguments: { seats: 2, lang: "fr" } })) {
          assert.strictEqual(error.code, -32602)
          assert.match(error.message, /^Invalid arguments for the prompt "plan": day: is missing; seats: .+; lang: .+$/)
        }
        for (const [params, message] of [
          [{ name: "zod" }, /^Invalid arguments for the prompt "zod": n: /],
          [{ name: "plan" }, /day: is missing; seats: is missing/],
          [{ name: "other" }, /^Unknown prompt "other"; see prompts\/list$/],
          [{ name: "none", arguments: [] }, /^params\.arguments must be an object$/],
          [{}, /^params\.name must be the name of a prompt$/]
        ] as const) {
          for (const { error } of yield* both("prompts/get", params)) {
            assert.strictEqual(error.code, -32602)
            assert.match(error.message, message)
          }
        }
      })
  )
})

describe("getting a prompt", () => {
  it.effect("runs with its services; what it fails with in words is -32603 with the reason", () =>
    Effect.gen(function* () {
      const mcp = empty()
        .prompt("bill", plain, () => Bill.use(({ shows }) => Effect.succeed(shows.map((show) => Prompt.user(show)))))
        .prompt("closed", plain, () => Effect.fail(new ToolFailed("The box office is closed")))
        .prompt("full", plain, async (_, { fail }) => fail("The box office is closed"))
        .provide(Layer.succeed(Bill, { shows: ["a", "b"] }))
      const { both } = yield* bothEras(mcp, {}, { onDefect: () => assert.fail("it is no defect") })
      const [native] = yield* both("prompts/get", { name: "bill" })
      assert.deepStrictEqual(native["result"].messages, [user("a"), user("b")])
      for (const name of ["closed", "full"]) {
        for (const { error } of yield* both("prompts/get", { name })) {
          assert.deepStrictEqual([error.code, error.data], [-32603, { reason: "The box office is closed" }])
        }
      }
    })
  )

  it.effect("PROMPT-03 PROMPT-05 D5: that dies, or gives no messages, is -32603 with a reference", () =>
    Effect.gen(function* () {
      const strange = (body: unknown) => async () => body as PromptBody
      const mcp = empty()
        .prompt("throws", plain, async () => {
          throw new Error("secret")
        })
        .prompt("nothing", plain, strange(undefined))
        .prompt("number", plain, strange(1))
        .prompt("role", plain, strange([{ role: "system", content: Content.text("secret") }]))
        .prompt("image", plain, strange([{ role: "user", content: { type: "image", data: "secret" } }]))
      const seen: Array<string> = []
      const { native } = yield* bothEras(mcp, {}, { onDefect: (_, { tool }) => void seen.push(tool) })
      const names = ["throws", "nothing", "number", "role", "image"]
      for (const name of names) {
        const { error } = yield* native()("prompts/get", { name })
        assert.strictEqual(error.code, -32603)
        assert.match(error.message, /^Internal error \(reference [0-9a-f]{8}\)$/)
        assert.notInclude(JSON.stringify(error), "secret")
      }
      assert.deepStrictEqual(seen, names)
    })
  )

  it.effect("PROMPT-01 PROMPT-06: is for those who see it, and unknown to the others", () =>
    Effect.gen(function* () {
      const mcp = empty<{ readonly admin: boolean }>()
        .prompt("all", plain, async () => "")
        .prompt("admin", { ...plain, visible: ({ admin }) => admin }, async (_, { context }) => String(context.admin))
      const { native } = yield* bothEras(mcp, { admin: true })
      for (const [admin, names] of [
        [true, ["all", "admin"]],
        [false, ["all"]]
      ] as const) {
        const list = bare(yield* native({ admin })("prompts/list"))
        assert.deepStrictEqual(
          [list["prompts"].map((one: { name: string }) => one.name), list["cacheScope"]],
          [names, "private"]
        )
        const answer = yield* native({ admin })("prompts/get", { name: "admin" })
        assert.strictEqual(answer["error"]?.message, admin ? undefined : 'Unknown prompt "admin"; see prompts/list')
      }
    })
  )
})

describe("prompts that cannot be served", () => {
  it("D1: are said all at once, with their places and the cure", () => {
    const strange = (value: unknown) => value as never
    const built = Mcp.make({ name: "box", version: "1" })
      .prompt("number", { ...plain, arguments: strange({ n: Schema.Int, s: Schema.String }) }, async () => "")
      .prompt("zod", { ...plain, arguments: strange(z.object({ n: z.number(), d: z.date() })) }, async () => "")
      .prompt("list", { ...plain, arguments: strange(z.array(z.string())) }, async () => "")
      .prompt("record", { ...plain, arguments: strange(Schema.Record(Schema.String, Schema.String)) }, async () => "")
      .prompt(
        "typo",
        { ...plain, arguments: { city: Schema.String }, complete: strange({ citty: () => [] }) },
        async () => ""
      )
      .prompt("twice", { ...plain, complete: strange({ x: () => [] }) }, async () => "")
      .prompt("twice", plain, async () => "")
      .prompt(strange(undefined), strange(undefined), strange(undefined))
      .build()
    if (built._tag === "Success") return assert.fail("it must not be built")
    assert.instanceOf(built.failure, McpBuildErrors)
    const places = /Prompts\.test\.ts:\d+/g
    const message = built.failure.message
    assert.lengthOf(new Set(message.match(places)), 8)
    const cure =
      "must be encoded as text, because that is how it travels: use Schema.String, Schema.FiniteFromString or another schema of a string"
    assert.strictEqual(
      message.replaceAll(places, "here"),
      `MCP server "box" cannot be built, for 10 reasons:
  1. prompt "number" (here): "n" ${cure}.
  2. prompt "zod" (here): "d": it cannot be printed as JSON Schema (Date cannot be represented in JSON Schema): use a schema that has a JSON form.
  3. prompt "list" (here): the arguments are fields or a schema of an object.
  4. prompt "record" (here): each argument is named: write fields instead of a record.
  5. prompt "typo" (here) completes "citty", and has "city". Complete what it has.
  6. prompt "twice" (here) completes "x", and has no arguments. Complete what it has.
  7. prompt "undefined" (here): it has no name; give it one.
  8. prompt "undefined" (here): it has no function; pass one.
  9. prompt "undefined" (here): it has no description; people choose a prompt by it.
  10. prompt "twice" is added 2 times (here, here). Rename all but one.`
    )
  })

  it("D1: do not compile where the compiler can tell", () => {
    const wrong = () => {
      // @ts-expect-error -- a number is not text
      empty().prompt("p", { ...plain, arguments: { n: Schema.Int } }, async () => "")
      // @ts-expect-error -- a number is not text
      empty().prompt("p", { ...plain, arguments: z.object({ n: z.number() }) }, async () => "")
      // @ts-expect-error -- "m" is not one of its arguments
      empty().prompt("p", { ...plain, arguments: { n: Schema.String }, complete: { m: () => [] } }, async () => "")
      // @ts-expect-error -- a prompt has a description
      empty().prompt("p", {}, async () => "")
    }
    assert.isFunction(wrong)
  })
})

/**
 * Completion of the arguments of prompts and of the variables of templates.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Arg, type Proposals } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { bare, bothEras } from "../fixtures/eras.ts"

class Cities extends Context.Service<Cities, { readonly all: ReadonlyArray<string> }>()("Cities") {}

const plain = { description: "A prompt" }
const text = async () => ""
const template = "box-office://{city}{?day}"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))
const asked = (name: string, value = "", chosen?: object) => ({
  argument: { name, value },
  ...(chosen === undefined ? {} : { context: { arguments: chosen } })
})
const ofPrompt = (name: string, ...args: Parameters<typeof asked>) => ({
  ref: { type: "ref/prompt", name },
  ...asked(...args)
})
const ofTemplate = (uri: string, ...args: Parameters<typeof asked>) => ({
  ref: { type: "ref/resource", uri },
  ...asked(...args)
})

/** A prompt whose one argument is completed with this. */
const proposing = (proposals: () => Proposals<never>) =>
  empty().prompt("p", { ...plain, arguments: { a: Schema.String }, complete: { a: proposals } }, text)

describe("completion", () => {
  it.effect("COMP-01 D8: is advertised and answered where something completes, and is -32601 elsewhere", () =>
    Effect.gen(function* () {
      const mute = empty()
        .prompt("p", { ...plain, arguments: { a: Schema.String } }, text)
        .template({ uriTemplate: template, name: "t", complete: {} }, text)
      const without = yield* bothEras(mute, {})
      assert.isUndefined((yield* without.native()("server/discover"))["result"].capabilities.completions)
      for (const { error } of yield* without.both("completion/complete", ofPrompt("p", "a"))) {
        assert.strictEqual(error.code, -32601)
      }
      const prompts = yield* bothEras(
        proposing(() => []),
        {}
      )
      assert.deepStrictEqual((yield* prompts.native()("server/discover"))["result"].capabilities.completions, {})
      const templates = yield* bothEras(
        empty().template({ uriTemplate: template, name: "t", complete: { day: () => [] } }, text),
        {}
      )
      assert.deepStrictEqual((yield* templates.native()("server/discover"))["result"].capabilities.completions, {})
    })
  )

  const colours: ReadonlyArray<readonly [string, () => Proposals<never>]> = [
    ["a list", () => ["a", "b"]],
    ["a promise", async () => ["a", "b"]],
    ["an effect", () => Effect.succeed(["a", "b"])]
  ]

  it.effect.each(colours)("COMP-02: takes %s of text, in both eras", ([, proposals]) =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(proposing(proposals), {})
      const [native, compat] = yield* both("completion/complete", ofPrompt("p", "a"))
      const completion = { values: ["a", "b"], total: 2, hasMore: false }
      assert.deepStrictEqual(bare(native), { completion })
      assert.deepStrictEqual(compat["result"], { completion })
    })
  )

  it.effect.each([0, 1, 99, 100, 101, 1000])(
    "COMP-02: sends at most a hundred of %i, and says how many there are",
    (count) =>
      Effect.gen(function* () {
        const { native } = yield* bothEras(
          proposing(() => numbers(count)),
          {}
        )
        const { completion } = bare(yield* native()("completion/complete", ofPrompt("p", "a")))
        assert.deepStrictEqual(completion, {
          values: numbers(Math.min(count, 100)),
          total: count,
          hasMore: count > 100
        })
      })
  )

  it.effect("COMP-02: is told what is typed and what was chosen, of prompts and of templates, with its services", () =>
    Effect.gen(function* () {
      const city = (value: string, { day }: { readonly day?: string }) =>
        Cities.use(({ all }) =>
          Effect.succeed(all.filter((one) => one.startsWith(value)).map((one) => `${one} ${day}`))
        )
      const mcp = empty<{ readonly user: string }>()
        .prompt(
          "p",
          {
            ...plain,
            arguments: { city: Schema.String, day: Arg.optional(Schema.String) },
            complete: { city, day: (_, __, { context }) => [context.user] }
          },
          text
        )
        .template({ uriTemplate: template, name: "t", complete: { city } }, text)
        .provide(Layer.succeed(Cities, { all: ["Oslo", "Paris", "Parma"] }))
      const { native } = yield* bothEras(mcp, { user: "ada" })
      const values = (params: object) =>
        Effect.map(native()("completion/complete", params), (answer) => answer["result"].completion.values)
      assert.deepStrictEqual(yield* values(ofPrompt("p", "city", "Par", { day: "mon" })), ["Paris mon", "Parma mon"])
      assert.deepStrictEqual(yield* values(ofPrompt("p", "city", "O", { other: "x" })), ["Oslo undefined"])
      assert.deepStrictEqual(yield* values(ofPrompt("p", "day")), ["ada"])
      assert.deepStrictEqual(yield* values(ofTemplate(template, "city", "Parm", { day: "tue" })), ["Parma tue"])
      assert.deepStrictEqual(yield* values(ofTemplate(template, "day")), [])
    })
  )

  it.effect(
    "COMP-03: of a prompt, a template or an argument that is not there is -32602, as is a request without them",
    () =>
      Effect.gen(function* () {
        const mcp = proposing(() => [])
          .template({ uriTemplate: template, name: "t" }, text)
          .resource({ uri: "box-office://board", name: "board" }, text)
          .prompt("bare", plain, text)
        const { both } = yield* bothEras(mcp, {})
        for (const [params, message] of [
          [ofPrompt("q", "a"), /^Unknown prompt "q"; see prompts\/list$/],
          [ofPrompt("p", "b"), /^Unknown argument "b"; it has a$/],
          [ofPrompt("bare", "b"), /^Unknown argument "b"; it has none$/],
          [ofTemplate("box-office://{town}", "town"), /^Unknown template "box-office:\/\/\{town\}"; see/],
          [ofTemplate("box-office://board", "city"), /^Unknown template "box-office:\/\/board"/],
          [ofTemplate(template, "town"), /^Unknown argument "town"; it has city, day$/],
          [{}, /^Invalid params of completion\/complete: ref: is missing; argument: is missing$/],
          [{ ref: { type: "ref/tool", name: "p" }, ...asked("a") }, /ref/],
          [{ ...ofPrompt("p", "a"), argument: { name: "a", value: 1 } }, /argument\.value/],
          [ofPrompt("p", "a", "", { b: 1 }), /context\.arguments\.b/]
        ] as const) {
          for (const { error } of yield* both("completion/complete", params)) {
            assert.strictEqual(error.code, -32602)
            assert.match(error.message, message)
          }
        }
      })
  )

  it.effect("COMP-04: of what a caller does not see is as of what is not there", () =>
    Effect.gen(function* () {
      const visible = ({ admin }: { readonly admin: boolean }) => admin
      const mcp = empty<{ readonly admin: boolean }>()
        .prompt("p", { ...plain, visible, arguments: { a: Schema.String }, complete: { a: () => ["x"] } }, text)
        .template({ uriTemplate: template, name: "t", visible, complete: { city: () => ["x"] } }, text)
      const { native } = yield* bothEras(mcp, { admin: false })
      for (const [params, message] of [
        [ofPrompt("p", "a"), 'Unknown prompt "p"; see prompts/list'],
        [ofTemplate(template, "city"), `Unknown template ${JSON.stringify(template)}; see resources/templates/list`]
      ] as const) {
        const shown = yield* native({ admin: true })("completion/complete", params)
        assert.deepStrictEqual(shown["result"].completion.values, ["x"])
        const hidden = yield* native()("completion/complete", params)
        assert.deepStrictEqual([hidden["error"].code, hidden["error"].message], [-32602, message])
      }
    })
  )

  it.effect("D5: that dies, fails or gives no list of text is -32603 with a reference", () =>
    Effect.gen(function* () {
      const strange = (value: unknown) => value as ReadonlyArray<string>
      const broken: ReadonlyArray<() => Proposals<never>> = [
        () => {
          throw new Error("secret")
        },
        async () => strange({ secret: 1 }),
        () => strange(undefined),
        () => Effect.succeed(strange(["secret", 1])),
        () => Effect.fail("secret") as never,
        () => Effect.die("secret")
      ]
      for (const proposals of broken) {
        const seen: Array<string> = []
        const { native } = yield* bothEras(
          proposing(proposals),
          {},
          { onDefect: (_, { tool }) => void seen.push(tool) }
        )
        const { error } = yield* native()("completion/complete", ofPrompt("p", "a"))
        assert.strictEqual(error.code, -32603)
        assert.match(error.message, /^Internal error \(reference [0-9a-f]{8}\)$/)
        assert.deepStrictEqual(seen, ["completion of a"])
      }
    })
  )
})

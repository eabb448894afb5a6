/**
 * Templates of resources: their variables, which URIs they read, and what keeps them from being served.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Arg, Mcp, McpBuildErrors, ResourceUnavailable } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { bare, bothEras } from "../fixtures/eras.ts"

type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(proof?: T) => assert.isUndefined(proof)

class Shows extends Context.Service<Shows, { readonly title: (id: number) => string | undefined }>()("Shows") {}

const shows = Layer.succeed(Shows, { title: (id) => (id === 1 ? "Evening bill" : undefined) })
const text = async (variables: unknown) => JSON.stringify(variables)

/** What a template reads at a URI: its variables, or the code of the error. */
const reader = (mcp: Mcp<never>) =>
  Effect.map(
    bothEras(mcp, {}),
    ({ native }) =>
      (uri: string) =>
        Effect.map(native()("resources/read", { uri }), ({ error, result }) =>
          error === undefined ? JSON.parse(result.contents[0].text) : error.code
        )
  )

describe("a template", () => {
  it.effect("RES-11 RES-03: is listed as it was written, and reads what has its form, in both eras", () =>
    Effect.gen(function* () {
      const listed = {
        uriTemplate: "box-office://shows/{id}{?day}",
        name: "show",
        title: "A show",
        description: "One bill",
        mimeType: "text/plain",
        icons: [{ src: "https://box.example/icon.png" }],
        annotations: { priority: 1 }
      } as const
      const mcp = empty()
        .template(
          {
            ...listed,
            meta: { "com.example/x": true },
            variables: { id: Schema.FiniteFromString },
            cache: { ttlMs: 7 }
          },
          ({ day, id }) => Shows.use((all) => Effect.succeed(`${all.title(id)} ${day}`))
        )
        .provide(shows)
      const { both } = yield* bothEras(mcp, {})
      const [native, compat] = yield* both("resources/templates/list")
      const resourceTemplates = [{ ...listed, _meta: { "com.example/x": true } }]
      assert.deepStrictEqual(bare(native), { resourceTemplates, ttlMs: 300_000, cacheScope: "public" })
      assert.deepStrictEqual(compat["result"], { resourceTemplates })
      const uri = "box-office://shows/1?day=mon%20day"
      const read = yield* both("resources/read", { uri })
      const contents = [{ uri, mimeType: "text/plain", text: "Evening bill mon day" }]
      assert.deepStrictEqual(bare(read[0]), { contents, ttlMs: 7, cacheScope: "private" })
      assert.deepStrictEqual(read[1]["result"], { contents })
      const capabilities = (yield* both("server/discover"))[0]["result"].capabilities
      assert.isDefined(capabilities.resources)
      assert.isUndefined(capabilities.completions)
    })
  )

  it.effect("RES-11: is matched on the whole URI, of https too, and its variables are decoded", () =>
    Effect.gen(function* () {
      const read = yield* reader(
        empty()
          .template({ uriTemplate: "https://box.example/shows/{id}", name: "show" }, text)
          .template({ uriTemplate: "file:///notes/{+path}", name: "note" }, text)
      )
      assert.deepStrictEqual(yield* read("https://box.example/shows/a%2Fb"), { id: "a/b" })
      assert.deepStrictEqual(yield* read("file:///notes/a/b.md#top"), { path: "a/b.md#top" })
      assert.deepStrictEqual(yield* read("file:///notes/日本.md"), { path: "日本.md" })
      for (const other of [
        "https://box.example/shows/",
        "https://box.example/shows/1/seats",
        "https://box.example/shows/1?x=1",
        "https://box.example.evil/shows/1",
        "http://box.example/shows/1",
        "x https://box.example/shows/1"
      ]) {
        assert.strictEqual(yield* read(other), -32602, other)
      }
    })
  )

  it.effect("decodes its variables by their schemas; one that may be absent is, or has its default", () =>
    Effect.gen(function* () {
      const read = yield* reader(
        empty().template(
          {
            uriTemplate: "box://{id}{?lang,day,limit}",
            name: "show",
            variables: {
              id: Schema.FiniteFromString,
              day: Schema.Literals(["mon", "tue"]),
              limit: Arg.withDefault(Schema.FiniteFromString, "20")
            }
          },
          (variables) => {
            is<
              Eq<
                typeof variables,
                {
                  readonly id: number
                  readonly limit: number
                  readonly lang?: string
                  readonly day?: "mon" | "tue"
                }
              >
            >()
            return text(variables)
          }
        )
      )
      assert.deepStrictEqual(yield* read("box://7"), { id: 7, limit: 20 })
      assert.deepStrictEqual(yield* read("box://7?day=tue&limit=3&lang=en"), {
        id: 7,
        day: "tue",
        limit: 3,
        lang: "en"
      })
      assert.strictEqual(yield* read("box://7?day=sun"), -32602)
    })
  )

  it.effect("RES-04 RES-06: whose variables do not fit is not found, and every problem is named", () =>
    Effect.gen(function* () {
      const mcp = empty().template(
        {
          uriTemplate: "box://{id}/{seat}",
          name: "seat",
          variables: { id: Schema.FiniteFromString, seat: Schema.Literals(["A", "B"]) }
        },
        text
      )
      const { both } = yield* bothEras(mcp, {})
      const uri = "box://one/C"
      const answers = yield* both("resources/read", { uri })
      for (const [index, code] of [-32602, -32002].entries()) {
        const error = answers[index]?.["error"]
        assert.deepStrictEqual([error.code, error.data], [code, { uri }])
        assert.match(error.message, /^There is no resource "box:\/\/one\/C"; id: .+; seat: .+$/)
      }
    })
  )

  it.effect("gives way to a resource of the URI, and to the next template where its variables do not fit", () =>
    Effect.gen(function* () {
      const read = yield* reader(
        empty()
          .template(
            { uriTemplate: "box://{id}", name: "n", variables: { id: Schema.FiniteFromString } },
            async () => '"n"'
          )
          .template({ uriTemplate: "box://{name}", name: "s" }, async () => '"s"')
          .template({ uriTemplate: "box://{+rest}", name: "r" }, async () => '"r"')
          .resource({ uri: "box://1", name: "one" }, async () => '"one"')
      )
      assert.deepStrictEqual(yield* Effect.all(["box://1", "box://2", "box://two", "box://a/b"].map(read)), [
        "one",
        "n",
        "s",
        "r"
      ])
    })
  )

  it.effect(
    "RES-04 RES-05: says that there is nothing with undefined, and that it cannot be read as a resource does",
    () =>
      Effect.gen(function* () {
        const mcp = empty()
          .template(
            { uriTemplate: "box://shows/{id}", name: "show", variables: { id: Schema.FiniteFromString } },
            ({ id }) => Shows.use((all) => Effect.succeed(all.title(id)))
          )
          .template({ uriTemplate: "box://closed/{id}", name: "closed" }, ({ id }) =>
            Effect.fail(new ResourceUnavailable(`${id} is closed`))
          )
          .provide(shows)
        const { both } = yield* bothEras(mcp, {})
        const missing = yield* both("resources/read", { uri: "box://shows/9" })
        assert.deepStrictEqual(
          missing.map(({ error }) => [error.code, error.data]),
          [
            [-32602, { uri: "box://shows/9" }],
            [-32002, { uri: "box://shows/9" }]
          ]
        )
        const closed = yield* both("resources/read", { uri: "box://closed/7" })
        assert.deepStrictEqual(
          closed.map(({ error }) => [error.code, error.data.reason]),
          [
            [-32603, "7 is closed"],
            [-32603, "7 is closed"]
          ]
        )
      })
  )

  it.effect(
    "RES-02 RES-08: is listed and read for those who see it, and another template is tried for the others",
    () =>
      Effect.gen(function* () {
        const mcp = empty<{ readonly admin: boolean }>()
          .template({ uriTemplate: "box://{id}", name: "a", visible: ({ admin }) => admin }, async () => "admin")
          .template({ uriTemplate: "box://{name}", name: "b" }, async () => "anybody")
        const { native } = yield* bothEras(mcp, { admin: true })
        for (const [admin, names, read] of [
          [true, ["a", "b"], "admin"],
          [false, ["b"], "anybody"]
        ] as const) {
          const list = bare(yield* native({ admin })("resources/templates/list"))
          assert.deepStrictEqual(
            [list["resourceTemplates"].map((one: { name: string }) => one.name), list["cacheScope"]],
            [names, "private"]
          )
          const answer = yield* native({ admin })("resources/read", { uri: "box://1" })
          assert.strictEqual(answer["result"].contents[0].text, read)
        }
      })
  )
})

describe("templates that cannot be served", () => {
  it("D1: are said all at once, with their places and the cure", () => {
    const strange = (value: unknown) => value as never
    const fine = { uriTemplate: "box://{id}{?list}", name: "fine" } as const
    const built = Mcp.make({ name: "box", version: "1" })
      .template(fine, text)
      .template({ uriTemplate: "box://{id", name: "open" }, text)
      .template({ uriTemplate: "{id}", name: "bare" }, text)
      .template({ uriTemplate: "box://board", name: "fixed" }, text)
      .template({ uriTemplate: "box://n/{id}", name: "", variables: { id: strange(Schema.Int) } }, text)
      .template({ uriTemplate: "box://v/{id}", name: "v", variables: strange({ idd: Schema.String }) }, text)
      .template({ uriTemplate: "box://z/{id}", name: "z", variables: strange(null) }, text)
      .template({ uriTemplate: "box://c/{id}{?day}", name: "c", complete: strange({ dya: () => [] }) }, text)
      .template(fine, text)
      .template(strange(undefined), strange(undefined))
      .build()
    if (built._tag === "Success") return assert.fail("it must not be built")
    assert.instanceOf(built.failure, McpBuildErrors)
    const places = /Templates\.test\.ts:\d+/g
    const message = built.failure.message
    assert.lengthOf(new Set(message.match(places)), 10)
    assert.strictEqual(
      message.replaceAll(places, "here"),
      `MCP server "box" cannot be built, for 13 reasons:
  1. template "box://{id" (here): the "{" at 6 has no "}".
  2. template "{id}" (here): it does not begin with a scheme, as "box-office:" in "box-office://board".
  3. template "box://board" (here): it has no variable: add it with resource(…).
  4. template "box://n/{id}" (here): it has no name; give it one.
  5. template "box://n/{id}" (here): "id" must be encoded as text, because that is how it travels: use Schema.String, Schema.FiniteFromString or another schema of a string.
  6. template "box://v/{id}" (here): variables has "idd", which the template does not have.
  7. template "box://z/{id}" (here): it is neither fields nor a schema.
  8. template "box://c/{id}{?day}" (here) completes "dya", and has "id", "day". Complete what it has.
  9. template "undefined" (here): it does not begin with a scheme, as "box-office:" in "box-office://board".
  10. template "undefined" (here): it has no variable: add it with resource(…).
  11. template "undefined" (here): it has no function that reads it; pass one.
  12. template "undefined" (here): it has no name; give it one.
  13. template "box://{id}{?list}" is added 2 times (here, here). Give each its own URI.`
    )
  })

  it("D1: do not compile where the compiler can tell", () => {
    const wrong = () => {
      const base = empty()
      // @ts-expect-error -- "idd" is not one of its variables
      base.template({ uriTemplate: "box://{id}", name: "t", complete: { idd: () => [] } }, text)
      // @ts-expect-error -- "idd" is not one of its variables
      base.template({ uriTemplate: "box://{id}", name: "t", variables: { idd: Schema.String } }, text)
      // @ts-expect-error -- a number is not text
      base.template({ uriTemplate: "box://{id}", name: "t", variables: { id: Schema.Int } }, text)
      // @ts-expect-error -- there is no such variable
      base.template({ uriTemplate: "box://{id}", name: "t" }, async ({ idd }) => idd)
    }
    assert.isFunction(wrong)
  })

  it("keep the services of readers and completers in the type of the server", () => {
    const mcp = empty().template(
      {
        uriTemplate: "box://{id}{?day}",
        name: "t",
        complete: {
          id: (value, chosen) => {
            is<Eq<typeof value, string>>()
            is<Eq<typeof chosen, { readonly id?: string; readonly day?: string }>>()
            return [value]
          },
          day: () => Shows.use((all) => Effect.succeed([all.title(1) ?? ""]))
        }
      },
      ({ id }) => Effect.map(Effect.scope, () => id)
    )
    is<Eq<typeof mcp, Mcp<Shows>>>()
    assert.deepStrictEqual(Mcp.check(mcp), [])
  })
})

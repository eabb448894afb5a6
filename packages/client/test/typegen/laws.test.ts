/**
 * What we publish comes back: an endpoint of ours, listed by a server of ours and written as a contract, publishes the
 * same schemas and takes the same values.
 */
import { assert, describe, it } from "@effect/vitest"
import { Endpoint } from "@treadle/protocol"
import { Arg, type AnyEndpoint, type ToolShape } from "@treadle/protocol/endpoint"
import type { Tool } from "@treadle/protocol/schema"
import { inputCase, sameJson } from "@treadle/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { contractOf } from "../../src/typegen/index.ts"
import { endpointsOf } from "./generated.ts"

/** A tool as our server lists it. */
const listed = ({ about, name, shape }: AnyEndpoint): Tool =>
  JSON.parse(
    JSON.stringify({
      name,
      description: about.description,
      inputSchema: shape.inputSchema,
      ...(shape.outputSchema === undefined ? {} : { outputSchema: shape.outputSchema })
    })
  )

const written = (endpoint: AnyEndpoint) => {
  const { notes, text } = contractOf([listed(endpoint)])
  const found = endpointsOf(text).get(endpoint.name)
  assert.isDefined(found, text)
  return { notes, text, shape: found.shape }
}

const sameShape = (ours: ToolShape, theirs: ToolShape, text: string): void => {
  assert.deepStrictEqual(theirs.faults, [], text)
  assert.isTrue(sameJson(theirs.inputSchema, ours.inputSchema), `${JSON.stringify(theirs.inputSchema)}\n${text}`)
  assert.isTrue(sameJson(theirs.outputSchema ?? null, ours.outputSchema ?? null), text)
}

/** What is sent is read as the same JSON by the one as by the other. */
const sameTravel = (codec: Pick<ToolShape["input"], "decode" | "encode">, sent: unknown): void => {
  const json: unknown = JSON.parse(JSON.stringify(sent))
  const back = Effect.runSync(Effect.flatMap(codec.decode(json), codec.encode))
  assert.isTrue(sameJson(back, json), `${JSON.stringify(json)} becomes ${JSON.stringify(back)}`)
}

describe("an endpoint of ours that was written from what we published", () => {
  it.prop("has its input, and sends the same arguments", [inputCase], ([{ args, fields }]) => {
    const ours = Endpoint.make("any", { description: "Any", input: fields }).shape
    const { notes, shape, text } = written(Endpoint.make("any", { description: "Any", input: fields }))
    assert.deepStrictEqual(notes, [])
    sameShape(ours, shape, text)
    const sent = Effect.runSync(ours.input.encode(args))
    const again = Effect.runSync(shape.input.encode(JSON.parse(JSON.stringify(sent))))
    assert.isTrue(sameJson(again, JSON.parse(JSON.stringify(sent))), text)
  })

  it.prop("has its output and its errors, and reads the same values", [inputCase, inputCase], ([value, error]) => {
    const endpoint = Endpoint.make("any", {
      description: "Any",
      output: Schema.Struct(value.fields),
      errors: { Bad: error.fields, Worse: {} }
    })
    const { shape, text } = written(endpoint)
    sameShape(endpoint.shape, shape, text)
    const ours = endpoint.shape
    assert(ours.output && ours.errors && shape.output && shape.errors)
    sameTravel(shape.output, Effect.runSync(ours.output.encode(value.input)))
    sameTravel(shape.errors, Effect.runSync(ours.errors.encode({ _tag: "Bad", ...error.input })))
    sameTravel(shape.errors, { _tag: "Worse" })
  })

  it.prop("has an output that is wrapped, and reads the same values", [inputCase], ([{ fields, input }]) => {
    const output = Schema.NullOr(Schema.Array(Schema.Struct(fields)))
    const endpoint = Endpoint.make("any", { description: "Any", output })
    const { shape, text } = written(endpoint)
    sameShape(endpoint.shape, shape, text)
    for (const value of [null, [], [input, input]]) {
      const sent = Effect.runSync(endpoint.shape.output?.encode(value) ?? Effect.succeed(null))
      sameTravel(shape.output ?? assert.fail(text), sent)
    }
  })

  interface Tree {
    readonly name: string
    readonly kids: ReadonlyArray<Tree>
  }
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    name: Schema.String,
    kids: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
  }).annotate({ identifier: "Tree" })
  class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String }) {}
  class Gone extends Schema.TaggedError<Gone>()("Gone", { show: Show }) {}

  it.each<readonly [string, AnyEndpoint]>([
    ["no input", Endpoint.make("any", { description: "" })],
    ["any object", Endpoint.make("any", { description: "", input: Schema.Record(Schema.String, Schema.Json) })],
    [
      "bounds of every kind",
      Endpoint.make("any", {
        description: "",
        input: {
          text: Schema.String.check(Schema.isMinCodePoints(2), Schema.isMaxCodePoints(9), Schema.isPattern(/^a\/b/u)),
          uuid: Schema.String.check(Schema.isUUID()),
          count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }), Schema.isMultipleOf(2)),
          share: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThan(1)),
          list: Schema.Array(Schema.Int).check(Schema.isMinLength(1), Schema.isMaxLength(3), Schema.isUnique()),
          map: Schema.Record(Schema.String, Schema.Int).check(Schema.isMinProperties(1)),
          pair: Schema.Tuple([Schema.Int, Schema.optionalKey(Schema.String)]),
          some: Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Schema.String]),
          never: Schema.optionalKey(Schema.Never)
        }
      })
    ],
    [
      "texts beside the types",
      Endpoint.make("any", {
        description: "",
        input: {
          a: Schema.String.annotate({ description: "A", title: "T", examples: ["x"], format: "email" }),
          b: Arg.withDefault(Schema.NullOr(Schema.Literals(["x", "y"])), null, "B"),
          c: Arg.optional(Schema.Array(Schema.Int), "C"),
          d: Schema.Struct({ e: Schema.optionalKey(Schema.Int.annotate({ default: 3 })) }),
          f: Schema.String.annotate({ "x-mcp-header": "Tenant" })
        }
      })
    ],
    [
      "a union of objects as its input",
      Endpoint.make("any", {
        description: "",
        input: Schema.Union([
          Schema.Struct({ kind: Schema.Literal("a"), n: Schema.Int }),
          Schema.Struct({ kind: Schema.Literal("b"), s: Schema.String })
        ])
      })
    ],
    [
      "other members beside those it names",
      Endpoint.make("any", {
        description: "",
        input: Schema.StructWithRest(Schema.Struct({ id: Schema.Int }), [Schema.Record(Schema.String, Schema.Unknown)])
      })
    ],
    [
      "classes and a schema that refers to itself",
      Endpoint.make("any", {
        description: "",
        input: { show: Show, tree: Tree, more: Schema.optionalKey(Tree) },
        output: Tree,
        errors: [Gone]
      })
    ]
  ])("has its schemas with %s", (_, endpoint) => {
    const { notes, shape, text } = written(endpoint)
    assert.deepStrictEqual(notes, [], text)
    assert.deepStrictEqual(
      JSON.parse(JSON.stringify(shape.inputSchema)),
      JSON.parse(JSON.stringify(endpoint.shape.inputSchema)),
      text
    )
    assert.isTrue(sameJson(shape.outputSchema ?? null, endpoint.shape.outputSchema ?? null), text)
    assert.deepStrictEqual(shape.headers, endpoint.shape.headers)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { readTrace, writeTrace } from "@treadle/protocol/trace"
import { jsonObject } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"

const hex = (length: number) =>
  Arbitrary.filter(
    Arbitrary.schema(Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${length}}$`)))),
    (text) => !/^0+$/.test(text)
  )

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const traceparent = `00-${traceId}-${spanId}-01`

const child = (parent: Tracer.AnySpan) =>
  new Tracer.NativeSpan({
    name: "child",
    parent: Option.some(parent),
    annotations: Context.empty(),
    links: [],
    startTime: 0n,
    kind: "client",
    sampled: parent.sampled
  })

describe("the trace in _meta", () => {
  it.prop(
    "META-14: comes back as it was written",
    [hex(32), hex(16), Arbitrary.schema(Schema.Boolean)],
    ([trace, span, sampled]) => {
      const written = writeTrace(Tracer.externalSpan({ traceId: trace, spanId: span, sampled }))
      const read = readTrace(written)
      assert.deepStrictEqual([read?.traceId, read?.spanId, read?.sampled], [trace, span, sampled])
    }
  )

  it.prop("META-14: is read from any _meta without throwing", [jsonObject], ([meta]) => {
    const read = readTrace(meta)
    if (read !== undefined) assert.match(read.traceId, /^[0-9a-f]{32}$/)
  })

  it.each([
    ["a later version with more fields", `cc-${traceId}-${spanId}-03-more`, true],
    ["version ff, which is forbidden", `ff-${traceId}-${spanId}-01`, false],
    ["more fields at version 00", `00-${traceId}-${spanId}-01-more`, false],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`, false],
    ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`, false],
    ["capitals", `00-${traceId.toUpperCase()}-${spanId}-01`, false],
    ["a line break after it", `${traceparent}\n`, false]
  ])("META-14: %s", (_, value, taken) => {
    assert.strictEqual(readTrace({ traceparent: value }) !== undefined, taken)
  })

  it("META-14: goes on with tracestate and baggage of the request that is served, as they came", () => {
    const meta = { traceparent, tracestate: "rojo=00f067aa0ba902b7", baggage: "userId=alice" }
    const incoming = readTrace(meta)
    assert.isDefined(incoming)
    const { traceparent: next, ...carried } = writeTrace(child(child(incoming)))
    assert.deepStrictEqual(carried, { tracestate: meta.tracestate, baggage: meta.baggage })
    assert.match(String(next), new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    assert.notInclude(String(next), spanId)
  })

  it("META-14: leaves out a tracestate and a baggage that no header could carry", () => {
    const incoming = readTrace({ traceparent, tracestate: "a=\nb", baggage: "x".repeat(8193) })
    assert.isDefined(incoming)
    assert.deepStrictEqual(writeTrace(incoming), { traceparent })
  })

  it("META-14: is not written of a span whose ids are of another kind", () => {
    assert.deepStrictEqual(writeTrace(Tracer.externalSpan({ traceId: "7", spanId: "8" })), {})
  })
})

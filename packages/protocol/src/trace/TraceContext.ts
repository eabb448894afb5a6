/**
 * The trace that a request belongs to, as `_meta` carries it: `traceparent` and `tracestate` of W3C Trace Context, and
 * `baggage` of W3C Baggage (META-14).
 *
 * @see https://www.w3.org/TR/trace-context/
 */
import * as Context from "effect/Context"
import * as Tracer from "effect/Tracer"
import { own } from "../json/index.ts"
import { MetaKey, type Meta } from "../schema/index.ts"

/** What is carried on beside the parent, as it came: nobody here reads it. */
export class Carried extends Context.Service<Carried, { readonly tracestate?: string; readonly baggage?: string }>()(
  "@treadle/protocol/Carried"
) {}

/** A later version may add fields after the fourth; `ff` is none. */
const parentForm = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const nothing = /^0+$/

/** What the W3C lets a header have, and no line of it. */
const longest = 8192
const printable = /^[\x20-\x7e]*$/

const carriedIn = (meta: Meta, key: string): string | undefined => {
  const value = own(meta, key)
  return typeof value === "string" && value.length <= longest && printable.test(value) ? value : undefined
}

/**
 * The parent that a request names, or `undefined` where it names none that is valid.
 *
 * @param meta `_meta` as it came
 *
 * @example
 * ```ts
 * import { readTrace } from "@treadle/protocol/trace"
 *
 * const meta = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }
 * readTrace(meta)?.spanId // => "00f067aa0ba902b7"
 * readTrace({ traceparent: "yes" }) // => undefined
 * ```
 */
export const readTrace = (meta: Meta): Tracer.ExternalSpan | undefined => {
  const value = own(meta, MetaKey.traceparent)
  const found = typeof value === "string" ? parentForm.exec(value) : null
  if (found === null) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = found
  if (nothing.test(traceId) || nothing.test(spanId) || (version === "00" && more !== undefined)) return undefined
  const tracestate = carriedIn(meta, MetaKey.tracestate)
  const baggage = carriedIn(meta, MetaKey.baggage)
  const carried = {
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage })
  }
  return Tracer.externalSpan({
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    annotations: Context.make(Carried, carried) as Context.Context<never>
  })
}

/** Spans nest this deep at most before nobody looks for what came with the outermost. */
const deepest = 256

const carriedBy = (span: Tracer.AnySpan): Carried["Service"] => {
  let at: Tracer.AnySpan | undefined = span
  for (let depth = 0; at !== undefined && depth < deepest; depth++) {
    const carried = at.annotations.mapUnsafe.get(Carried.key) as Carried["Service"] | undefined
    if (carried !== undefined) return carried
    at = at._tag === "Span" && at.parent._tag === "Some" ? at.parent.value : undefined
  }
  return {}
}

const traceIdForm = /^[0-9a-f]{32}$/
const spanIdForm = /^[0-9a-f]{16}$/

/**
 * What a request says of the span that it is sent in; what came with the request that is served meanwhile goes along.
 *
 * @returns nothing for a span whose ids are not those of W3C
 *
 * @example
 * ```ts
 * import { writeTrace } from "@treadle/protocol/trace"
 * import * as Tracer from "effect/Tracer"
 *
 * const span = Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })
 * writeTrace(span) // => { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }
 * ```
 */
export const writeTrace = (span: Tracer.AnySpan): Meta =>
  traceIdForm.test(span.traceId) && spanIdForm.test(span.spanId)
    ? {
        [MetaKey.traceparent]: `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`,
        ...carriedBy(span)
      }
    : {}

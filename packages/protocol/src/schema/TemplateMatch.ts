/**
 * Reads the variables of a template out of a URI, in time proportional to the length of both: from the end of the URI
 * it is noted from where each step of the template can still succeed, then one walk forward takes the longest values
 * that can.
 */
import { canonical, decodeValue, isQuery, type Expression, type Part } from "./TemplateParts.ts"

/** The longest URI that is read, in characters after encoding. */
const maxUriLength = 16_384

/** How many places are tried at which the query of a URI may begin. */
const maxQueryStarts = 16

type Variables = { [name: string]: string }

/** Names and values, still encoded. */
type Pairs = ReadonlyArray<readonly [string, string]>

type Step =
  | { readonly _tag: "Text"; readonly text: string }
  /** A value of at least `least` characters; an assigned one has a `=` before it, or is empty without. */
  | {
      readonly _tag: "Value"
      readonly name: string
      readonly reserved: boolean
      readonly least: number
      readonly assigned: boolean
    }
  /** Goes on with the next step, or where that fails with the one at `otherwise`. */
  | { readonly _tag: "Maybe"; readonly otherwise: number }

/** Steps that may be left out. */
const maybe = (inner: ReadonlyArray<Step>, at: number): ReadonlyArray<Step> => [
  { _tag: "Maybe", otherwise: at + 1 + inner.length },
  ...inner
]

const namedSteps = ({ names, operator: { first, reserved } }: Expression, at: number): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  for (const name of names) {
    const value: Step = { _tag: "Value", name, reserved, least: 0, assigned: true }
    steps.push(...maybe([{ _tag: "Text", text: canonical(first + name) }, value], at + steps.length))
  }
  return steps
}

/** Later variables may be missing with all that follow; the first as well, where the expression has a sign to tell by. */
const listedSteps = ({ names, operator }: Expression, at: number, index = 0): ReadonlyArray<Step> => {
  const name = names[index]
  if (name === undefined) return []
  const { first, reserved, separator } = operator
  const lead = index === 0 ? first : separator
  const value: Step = { _tag: "Value", name, reserved, least: lead === "" ? 1 : 0, assigned: false }
  if (lead === "") return [value, ...listedSteps({ names, operator }, at + 1, index + 1)]
  return maybe([{ _tag: "Text", text: lead }, value, ...listedSteps({ names, operator }, at + 3, index + 1)], at)
}

const stepsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  for (const part of parts) {
    if (typeof part === "string") steps.push({ _tag: "Text", text: part })
    else steps.push(...(part.operator.named ? namedSteps(part, steps.length) : listedSteps(part, steps.length)))
  }
  return steps
}

/** The furthest place at which a value that starts at each place may end. */
const runs = (uri: string, reserved: boolean): Int32Array => {
  const ends = new Int32Array(uri.length + 1)
  ends[uri.length] = uri.length
  for (let at = uri.length - 1; at >= 0; at--) {
    const stops = !reserved && "/?#&,;".includes(uri.charAt(at))
    ends[at] = stops ? at : (ends[at + 1] ?? at)
  }
  return ends
}

/** Whether a place is inside of one such as `%E9`, where no value starts or ends. */
const insideTriplet = (uri: string, at: number): boolean => uri[at - 1] === "%" || uri[at - 2] === "%"

interface Reading {
  readonly uri: string
  readonly plain: Int32Array
  readonly reserved: Int32Array
}

const runsOf = (reading: Reading, step: { readonly reserved: boolean }): Int32Array =>
  step.reserved ? reading.reserved : reading.plain

/** From where a step succeeds, given from where the ones after it do; for a value, the furthest end it can have. */
const startsOf = (reading: Reading, step: Step, next: Int32Array, otherwise: Int32Array | undefined): Int32Array => {
  const { uri } = reading
  const starts = new Int32Array(uri.length + 1).fill(-1)
  if (step._tag === "Value") {
    const ends = runsOf(reading, step)
    let end = -1
    for (let at = uri.length; at >= 0; at--) {
      const free = !insideTriplet(uri, at)
      if (end > (ends[at] ?? at)) end = -1
      if (end < 0 && free && (next[at] ?? -1) >= 0) end = at
      if (step.assigned && uri[at] !== "=") starts[at] = (next[at] ?? -1) < 0 ? -1 : at
      else if (free && end >= at + step.least) starts[at] = end
    }
    return starts
  }
  for (let at = 0; at <= uri.length; at++) {
    if (step._tag === "Maybe") starts[at] = Math.max(next[at] ?? -1, otherwise?.[at] ?? -1)
    else if (uri.startsWith(step.text, at)) starts[at] = next[at + step.text.length] ?? -1
  }
  return starts
}

/** The values of a URI by the steps, where the last step ends at one of `accepted`. */
const readSteps = (reading: Reading, steps: ReadonlyArray<Step>, accepted: Int32Array): Pairs | undefined => {
  const tables: Array<Int32Array> = []
  tables[steps.length] = accepted
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index]
    const next = tables[index + 1]
    if (step === undefined || next === undefined) return undefined
    tables[index] = startsOf(reading, step, next, step._tag === "Maybe" ? tables[step.otherwise] : undefined)
  }
  const can = (index: number, at: number) => (tables[index]?.[at] ?? -1) >= 0
  if (!can(0, 0)) return undefined
  const values: Array<readonly [string, string]> = []
  let at = 0
  for (let index = 0; index < steps.length;) {
    const step = steps[index]
    if (step?._tag === "Maybe") {
      index = can(index + 1, at) ? index + 1 : step.otherwise
      continue
    }
    const end = step?._tag === "Value" ? (tables[index]?.[at] ?? at) : at + (step?.text.length ?? 0)
    if (step?._tag === "Value") {
      values.push([step.name, reading.uri.slice(step.assigned && end > at ? at + 1 : at, end)])
    }
    at = end
    index++
  }
  return values
}

const collect = (pairs: Pairs): Variables | undefined => {
  const out: Variables = Object.create(null)
  for (const [name, raw] of pairs) {
    const value = decodeValue(raw)
    if (value === undefined || Object.hasOwn(out, name)) return undefined
    out[name] = value
  }
  return out
}

const queryPairs = (text: string): Pairs =>
  text === ""
    ? []
    : text.split("&").map((pair) => {
        const equals = pair.indexOf("=")
        return equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)]
      })

/** The query expressions of a template. */
interface QueryRule {
  readonly signs: string
  /** The variables by their names as they stand in a URI. */
  readonly names: ReadonlyMap<string, string>
}

/** Where the query may begin: at a sign after which there are only parameters of the template, each once. */
const queryStarts = (uri: string, { names, signs }: QueryRule): ReadonlyArray<number> => {
  const found: Array<number> = []
  let tries = 0
  for (let at = 0; at < uri.length && tries < maxQueryStarts; at++) {
    if (!signs.includes(uri.charAt(at))) continue
    tries++
    const pairs = queryPairs(uri.slice(at + 1))
    if (pairs.every(([name]) => names.has(name)) && collect(pairs) !== undefined) found.push(at)
  }
  return found
}

const readUntil = (reading: Reading, steps: ReadonlyArray<Step>, end: number): Pairs | undefined =>
  readSteps(reading, steps, new Int32Array(reading.uri.length + 1).fill(-1).fill(end, end, end + 1))

/** Reads all of a text: the path by its steps, then as long a query as there can be, or none. */
const textReader = (parts: ReadonlyArray<Part>, query?: QueryRule): ((text: string) => Pairs | undefined) => {
  const steps = stepsOf(parts)
  return (text) => {
    const reading = { uri: text, plain: runs(text, false), reserved: runs(text, true) }
    for (const start of query === undefined ? [] : queryStarts(text, query)) {
      const path = readUntil(reading, steps, start)
      const pairs = queryPairs(text.slice(start + 1))
      if (path !== undefined) {
        return [...path, ...pairs.map(([name, value]) => [query?.names.get(name) ?? name, value] as const)]
      }
    }
    return readUntil(reading, steps, text.length)
  }
}

const queryRule = (parts: ReadonlyArray<Part>): QueryRule | undefined => {
  const expressions = parts.filter(isQuery)
  if (expressions.length === 0) return undefined
  const names = expressions.flatMap((expression) => expression.names)
  return {
    signs: expressions.map(({ operator }) => operator.first).join(""),
    names: new Map(names.map((name) => [canonical(name), name]))
  }
}

/**
 * The reader of a template.
 *
 * @returns the variables of a URI, decoded, or `undefined` where it does not match as a whole
 */
export const templateReader = (
  parts: ReadonlyArray<Part>
): ((uri: string) => { readonly [name: string]: string } | undefined) => {
  const query = queryRule(parts)
  const at = query === undefined ? parts.length : parts.findIndex(isQuery)
  const tail = parts.slice(at).filter((part) => !isQuery(part))
  const readPath = textReader(parts.slice(0, at), query)
  const readFragment = tail.length === 0 ? undefined : textReader(tail)
  const [first] = parts
  /** Most URIs are of another template, which their beginning tells. */
  const beginning = typeof first === "string" ? first : ""
  return (given) => {
    if (given.length > maxUriLength || /%(?![0-9A-Fa-f]{2})/.test(given)) return undefined
    const uri = canonical(given)
    if (uri.length > maxUriLength || !uri.startsWith(beginning)) return undefined
    const hash = readFragment === undefined ? -1 : uri.indexOf("#")
    const before = readPath(hash < 0 ? uri : uri.slice(0, hash))
    const after = readFragment === undefined ? [] : readFragment(hash < 0 ? "" : uri.slice(hash))
    return before === undefined || after === undefined ? undefined : collect([...before, ...after])
  }
}

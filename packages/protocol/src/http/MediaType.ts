/**
 * Accept and Content-Type, read with the tolerance of RFC 9110: any case, parameters, wildcards, `q=0`.
 */

/** Which forms of an answer a client takes. */
export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

const both: Accepted = { json: true, events: true }

const weightOf = (parameters: ReadonlyArray<string>): number => {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(parameter)
    if (match?.[1] !== undefined) return Number(match[1])
  }
  return 1
}

/** The weight of a media type: the most specific range of the list decides (RFC 9110, 12.5.1). */
const weight = (ranges: ReadonlyArray<readonly [string, number]>, type: string): number => {
  const [group] = type.split("/")
  for (const candidate of [type, `${group}/*`, "*/*"]) {
    const found = ranges.find(([range]) => range === candidate)
    if (found !== undefined) return found[1]
  }
  return 0
}

/** Reads an Accept header; one that is absent or blank takes anything. */
export const accepted = (header: string | undefined): Accepted => {
  // What clients usually say is not taken apart.
  if (header === undefined || header === "application/json, text/event-stream" || header === "*/*") return both
  if (header.trim() === "") return both
  const ranges = header.split(",").map((part) => {
    const [range, ...parameters] = part.split(";")
    return [(range ?? "").trim().toLowerCase(), weightOf(parameters)] as const
  })
  return { json: weight(ranges, "application/json") > 0, events: weight(ranges, "text/event-stream") > 0 }
}

/** Whether a Content-Type is JSON, in UTF-8 where it names an encoding. */
export const isJsonType = (header: string | undefined): boolean => {
  if (header === "application/json") return true
  if (header === undefined) return false
  const [type, ...parameters] = header.split(";")
  if ((type ?? "").trim().toLowerCase() !== "application/json") return false
  return parameters.every((parameter) => {
    const [key, value] = parameter.split("=")
    return (key ?? "").trim().toLowerCase() !== "charset" || /^"?utf-?8"?$/i.test((value ?? "").trim())
  })
}

/** Whether a Content-Type is a stream of events. */
export const isEventStreamType = (header: string | null | undefined): boolean =>
  (header ?? "").split(";")[0]?.trim().toLowerCase() === "text/event-stream"

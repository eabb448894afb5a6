/**
 * Where the author's code called the builder, so that an error can say `orders.ts:14`.
 */
import type { Place } from "../McpBuildError.ts"

interface V8Error {
  captureStackTrace?(target: object, below: Function): void
  stackTraceLimit?: number
}

const frame = /(?:[/\\]|^|\()([^/\\()\s]+\.[cm]?[jt]sx?)(?:\?[^:]*)?:(\d+)(?::\d+)?\)?$/m

/**
 * The caller of a function.
 *
 * @param below the builder's function; the frame above it is the author's
 */
export const placeBelow = (below: Function): Place => {
  const v8: V8Error = Error
  const target: { stack?: string } = {}
  if (v8.captureStackTrace === undefined) return "unknown place"
  const limit = v8.stackTraceLimit
  v8.stackTraceLimit = 1
  v8.captureStackTrace(target, below)
  const stack = target.stack
  if (limit !== undefined) v8.stackTraceLimit = limit
  const found = stack === undefined ? null : frame.exec(stack)
  return found === null ? "unknown place" : `${found[1]}:${found[2]}`
}

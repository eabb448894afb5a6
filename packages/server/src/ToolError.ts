/**
 * How a tool says no.
 */

/**
 * A failure in words for the model, without a declared error: the call ends with `isError` and this text.
 *
 * @example
 * ```ts
 * import { ToolFailed } from "@treadle/server"
 *
 * new ToolFailed("No order 9. Open orders: 1, 4").message // => "No order 9. Open orders: 1, 4"
 * ```
 */
export class ToolFailed extends Error {
  readonly _tag = "ToolFailed"
  override readonly name = "ToolFailed"
}

/** A failure that its endpoint does not declare. It is treated as a defect; the log says how to declare it. */
export class UndeclaredError {
  readonly _tag = "UndeclaredError"
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/**
 * How a resource says that it cannot be read now.
 */

/**
 * The resource exists and cannot be read: this request is answered with `-32603`, the reason in its data, and the server
 * goes on.
 *
 * @example
 * ```ts
 * import { ResourceUnavailable } from "@treadle/server"
 *
 * new ResourceUnavailable("The board is being painted").reason // => "The board is being painted"
 * ```
 */
export class ResourceUnavailable extends Error {
  readonly _tag = "ResourceUnavailable"
  override readonly name = "ResourceUnavailable"

  /** What the caller is told. */
  get reason(): string {
    return this.message
  }
}

/**
 * What goes wrong between the two sides, as a reason: what was thrown on the way, and what a transport says by itself.
 */
import { McpReason } from "../McpError.ts"

/** The facts of a failure beside its message. */
interface FailureFacts {
  readonly status?: number
  readonly body?: string
  readonly retryAfter?: number
  readonly notRun?: boolean
  readonly cause?: unknown
}

export const transportFailure = (message: string, facts: FailureFacts = {}): McpReason =>
  new McpReason.Transport({ message, ...facts })

export const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== ""
    ? `${cause.message}: ${cause.cause.message}`
    : cause.message
}

/** Whether something thrown is a reason already. */
export const isReason = (error: unknown): error is McpReason =>
  Object.values(McpReason).some((reason) => error instanceof reason)

/** What was thrown, as a reason. */
export const reasonOf = (error: unknown): McpReason =>
  isReason(error) ? error : transportFailure(causeText(error), { cause: error })

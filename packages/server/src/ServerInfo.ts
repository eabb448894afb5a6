/**
 * Who a server says it is, and how it asks to be used.
 */
import type { Implementation } from "@treadle/protocol/schema"

export interface ServerInfo {
  readonly implementation: Implementation
  /** For the model: how the tools work together (DISC-06). */
  readonly instructions: string | undefined
}

/**
 * The error of a request: what was asked of which server, and why it failed.
 */
import type { ClientRequest } from "@treadle/protocol/schema"
import { McpError, type McpReason } from "../McpError.ts"

/** @param cause what a handler in the same process died of, or what the platform threw */
export const requestError = (server: string, request: ClientRequest, reason: McpReason, cause?: unknown): McpError =>
  new McpError({
    reason,
    method: request.method,
    server,
    ...(request.method === "tools/call" ? { tool: request.params.name } : {}),
    ...(cause === undefined ? {} : { cause })
  })

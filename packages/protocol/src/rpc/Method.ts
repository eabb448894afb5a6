/**
 * Every method of MCP, one row each. A method without a row does not exist.
 */

/** What the specification says of one method. */
export interface MethodRow {
  readonly kind: "request" | "notification"
  /** Who sends it. */
  readonly from: "client" | "server" | "both"
  readonly eras: "native" | "compat" | "both"
  /** The member of `params` that the `Mcp-Name` header repeats (HDR-04, TASK-17). */
  readonly named?: "name" | "uri" | "taskId"
}

const rows = {
  "server/discover": { kind: "request", from: "client", eras: "native" },
  initialize: { kind: "request", from: "client", eras: "compat" },
  ping: { kind: "request", from: "both", eras: "compat" },
  "tools/list": { kind: "request", from: "client", eras: "both" },
  "tools/call": { kind: "request", from: "client", eras: "both", named: "name" },
  "resources/list": { kind: "request", from: "client", eras: "both" },
  "resources/templates/list": { kind: "request", from: "client", eras: "both" },
  "resources/read": { kind: "request", from: "client", eras: "both", named: "uri" },
  "resources/subscribe": { kind: "request", from: "client", eras: "compat" },
  "resources/unsubscribe": { kind: "request", from: "client", eras: "compat" },
  "prompts/list": { kind: "request", from: "client", eras: "both" },
  "prompts/get": { kind: "request", from: "client", eras: "both", named: "name" },
  "completion/complete": { kind: "request", from: "client", eras: "both" },
  "logging/setLevel": { kind: "request", from: "client", eras: "compat" },
  "subscriptions/listen": { kind: "request", from: "client", eras: "native" },
  "tasks/get": { kind: "request", from: "client", eras: "native", named: "taskId" },
  "tasks/update": { kind: "request", from: "client", eras: "native", named: "taskId" },
  "tasks/cancel": { kind: "request", from: "client", eras: "native", named: "taskId" },
  "elicitation/create": { kind: "request", from: "server", eras: "compat" },
  "sampling/createMessage": { kind: "request", from: "server", eras: "compat" },
  "roots/list": { kind: "request", from: "server", eras: "compat" },
  "notifications/initialized": { kind: "notification", from: "client", eras: "compat" },
  "notifications/cancelled": { kind: "notification", from: "both", eras: "both" },
  "notifications/progress": { kind: "notification", from: "both", eras: "both" },
  "notifications/message": { kind: "notification", from: "server", eras: "both" },
  "notifications/roots/list_changed": { kind: "notification", from: "client", eras: "compat" },
  "notifications/tools/list_changed": { kind: "notification", from: "server", eras: "both" },
  "notifications/prompts/list_changed": { kind: "notification", from: "server", eras: "both" },
  "notifications/resources/list_changed": { kind: "notification", from: "server", eras: "both" },
  "notifications/resources/updated": { kind: "notification", from: "server", eras: "both" },
  "notifications/subscriptions/acknowledged": { kind: "notification", from: "server", eras: "native" },
  "notifications/elicitation/complete": { kind: "notification", from: "server", eras: "compat" },
  "notifications/tasks": { kind: "notification", from: "server", eras: "native" }
} as const satisfies { readonly [method: string]: MethodRow }

/** The name of a method of MCP. */
export type MethodName = keyof typeof rows

const table: ReadonlyMap<string, MethodRow> = new Map(Object.entries(rows))

/** The row of a method, or `undefined` where MCP has no such method. */
export const methodRow = (method: string): MethodRow | undefined => table.get(method)

/** Every method of MCP. */
export const methodNames: ReadonlyArray<MethodName> = Object.keys(rows) as ReadonlyArray<MethodName>

/**
 * The notifications of MCP, typed, in both directions and both eras.
 */
import * as Result from "effect/Result"
import type { JsonObject, Misfit } from "../json/index.ts"
import { Message, type Notification } from "../rpc/index.ts"
import { Cancelled } from "./Cancelled.ts"
import { ElicitationComplete } from "./Elicitation.ts"
import { LogMessage } from "./Logging.ts"
import { Bare, payloadDecoders } from "./PayloadTable.ts"
import { Progress } from "./Progress.ts"
import { Acknowledged, ResourceUpdated } from "./Subscription.ts"
import { DetailedTask } from "./Task.ts"

const payloads = {
  "notifications/initialized": Bare,
  "notifications/cancelled": Cancelled,
  "notifications/progress": Progress,
  "notifications/message": LogMessage,
  "notifications/roots/list_changed": Bare,
  "notifications/tools/list_changed": Bare,
  "notifications/prompts/list_changed": Bare,
  "notifications/resources/list_changed": Bare,
  "notifications/resources/updated": ResourceUpdated,
  "notifications/subscriptions/acknowledged": Acknowledged,
  "notifications/elicitation/complete": ElicitationComplete,
  "notifications/tasks": DetailedTask
} as const

type Payloads = typeof payloads

/** The methods of notifications. */
export type NotificationMethod = keyof Payloads

/** One typed notification: of any method, or of the methods that are named. */
export type KnownNotification<M extends NotificationMethod = NotificationMethod> = {
  [K in M]: { readonly method: K; readonly params: Payloads[K]["Type"] }
}[M]

const decoderOf = payloadDecoders(payloads)

/**
 * Reads a notification.
 *
 * @returns the typed notification, every problem of its parameters, or `undefined` for a method that is not typed here
 */
const decode = (notification: Notification): Result.Result<KnownNotification, Misfit> | undefined => {
  const decoder = decoderOf(notification.method)
  if (decoder === undefined) return undefined
  return Result.map(
    decoder(notification.params ?? {}),
    (params) => ({ method: notification.method, params }) as KnownNotification
  )
}

/** Reads and writes the notifications that MCP names. */
export const KnownNotification = {
  decode,
  toMessage: (notification: KnownNotification): Notification =>
    Message.notification(notification.method, notification.params as JsonObject)
}

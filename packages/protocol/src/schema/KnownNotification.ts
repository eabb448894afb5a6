/**
 * The notifications of MCP, typed, in both directions.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { wireDecoder, type JsonObject, type Misfit } from "../json/index.ts"
import { Message, type Notification } from "../rpc/index.ts"
import { Cancelled } from "./Cancelled.ts"
import { LogMessage } from "./Logging.ts"
import { Meta } from "./Meta.ts"
import { Progress } from "./Progress.ts"

const Bare = Schema.Struct({ _meta: Schema.optionalKey(Meta) })

const payloads = {
  "notifications/cancelled": Cancelled,
  "notifications/progress": Progress,
  "notifications/message": LogMessage,
  "notifications/tools/list_changed": Bare,
  "notifications/prompts/list_changed": Bare,
  "notifications/resources/list_changed": Bare
} as const

type Payloads = typeof payloads
export type KnownNotification = {
  [M in keyof Payloads]: { readonly method: M; readonly params: Payloads[M]["Type"] }
}[keyof Payloads]

const decoders = new Map(
  Object.entries(payloads).map(([method, schema]) => [method, wireDecoder(schema as Schema.Codec<object>)])
)

/**
 * Reads a notification.
 *
 * @returns the typed notification, every problem of its parameters, or `undefined` for a method that is not typed here
 */
const decode = (notification: Notification): Result.Result<KnownNotification, Misfit> | undefined => {
  const decoder = decoders.get(notification.method)
  if (decoder === undefined) return undefined
  return Result.map(
    decoder(notification.params ?? {}),
    (params) => ({ method: notification.method, params }) as KnownNotification
  )
}

export const KnownNotification = {
  decode,
  toMessage: (notification: KnownNotification): Notification =>
    Message.notification(notification.method, notification.params as JsonObject)
}

/**
 * Hearing of changes in the native era: `subscriptions/listen`, its acknowledgement and its end (SUB-01 to SUB-09).
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

/** What a client wants to hear, and what a server honours of it. Extensions add members. */
export const SubscriptionFilter = Schema.Struct({
  toolsListChanged: Schema.optionalKey(Schema.Boolean),
  promptsListChanged: Schema.optionalKey(Schema.Boolean),
  resourcesListChanged: Schema.optionalKey(Schema.Boolean),
  resourceSubscriptions: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface SubscriptionFilter extends Schema.Schema.Type<typeof SubscriptionFilter> {}

/** Parameters of the acknowledgement. */
export const Acknowledged = Schema.Struct({ notifications: SubscriptionFilter, _meta: Schema.optionalKey(Meta) })
export interface Acknowledged extends Schema.Schema.Type<typeof Acknowledged> {}

/** The graceful end of a subscription. */
export const ListenResult = Schema.Struct({ resultType: Schema.optionalKey(Schema.Literal("complete")), _meta: Meta })
export interface ListenResult extends Schema.Schema.Type<typeof ListenResult> {}

/** Parameters of `notifications/resources/updated`. */
export const ResourceUpdated = Schema.Struct({ uri: Schema.String, _meta: Schema.optionalKey(Meta) })
export interface ResourceUpdated extends Schema.Schema.Type<typeof ResourceUpdated> {}

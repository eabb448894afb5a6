/**
 * Hearing of changes in the native era: `subscriptions/listen`, its acknowledgement and its end (SUB-01 to SUB-09).
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

/**
 * What a client wants to hear, and what a server honours of it. `resourceSubscriptions` are addresses of resources,
 * `taskIds` those of tasks (TASK-15). Other extensions add members.
 */
export const SubscriptionFilter = Schema.StructWithRest(
  Schema.Struct({
    toolsListChanged: Schema.optionalKey(Schema.Boolean),
    promptsListChanged: Schema.optionalKey(Schema.Boolean),
    resourcesListChanged: Schema.optionalKey(Schema.Boolean),
    resourceSubscriptions: Schema.optionalKey(Schema.Array(Schema.String)),
    taskIds: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  [Schema.Record(Schema.String, Schema.Json)]
)
export type SubscriptionFilter = typeof SubscriptionFilter.Type

/** Parameters of `notifications/subscriptions/acknowledged`: what of the filter is honoured (SUB-03, SUB-04). */
export const Acknowledged = Schema.Struct({ notifications: SubscriptionFilter, _meta: Schema.optionalKey(Meta) })
export interface Acknowledged extends Schema.Schema.Type<typeof Acknowledged> {}

/** The graceful end of a subscription (SUB-09). */
export const ListenResult = Schema.Struct({
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  _meta: Schema.optionalKey(Meta)
})
export interface ListenResult extends Schema.Schema.Type<typeof ListenResult> {}

/** Parameters of `notifications/resources/updated`; the address may lie below the one that is watched (SUB-12). */
export const ResourceUpdated = Schema.Struct({ uri: Schema.String, _meta: Schema.optionalKey(Meta) })
export interface ResourceUpdated extends Schema.Schema.Type<typeof ResourceUpdated> {}

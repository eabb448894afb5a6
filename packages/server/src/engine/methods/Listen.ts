/**
 * `subscriptions/listen`: acknowledged first, then told of what it asked for, until it is closed or the server stops
 * (SUB-01 to SUB-09, SUB-13).
 */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import { isRecord, own } from "@treadle/protocol/json"
import { printNotification, RpcError, type RequestId } from "@treadle/protocol/rpc"
import { MetaKey, type Meta, type ServerCapabilities, type SubscriptionFilter } from "@treadle/protocol/schema"
import type { Change } from "../../Change.ts"
import type { Admitted } from "../../envelope/Admitted.ts"
import { uriKey } from "../../handler/ResourceUri.ts"
import type { Limits } from "../../Limits.ts"
import { internalError } from "../../reply/ErrorReply.ts"
import type { Row, Running } from "./Row.ts"
import { tooLong } from "./Subscribe.ts"
import { asNamed, printChange, type Hub } from "../offer/Hub.ts"

const asked = (request: Admitted): SubscriptionFilter | undefined => {
  const filter = own(request.request.params, "notifications")
  if (!isRecord(filter)) return undefined
  const uris = filter["resourceSubscriptions"]
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === "string"))) return undefined
  return filter as SubscriptionFilter
}

/** What is honoured of a filter: the kinds that this server tells of (SUB-04). */
const honoured = (
  filter: SubscriptionFilter,
  { prompts, resources, tools }: ServerCapabilities
): SubscriptionFilter => ({
  ...(filter.toolsListChanged === true && tools?.listChanged === true ? { toolsListChanged: true } : {}),
  ...(filter.promptsListChanged === true && prompts?.listChanged === true ? { promptsListChanged: true } : {}),
  ...(filter.resourcesListChanged === true && resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  ...(filter.resourceSubscriptions !== undefined && resources?.subscribe === true
    ? { resourceSubscriptions: [...new Set(filter.resourceSubscriptions)] }
    : {})
})

/** The resources of a filter, as its client wrote them. */
const named = (filter: SubscriptionFilter): ReadonlyMap<string, string> =>
  new Map((filter.resourceSubscriptions ?? []).map((uri) => [uriKey(uri), uri]))

const hearing =
  (filter: SubscriptionFilter, uris: ReadonlyMap<string, string>) =>
  (change: Change): boolean => {
    switch (change._tag) {
      case "tools":
        return filter.toolsListChanged === true
      case "prompts":
        return filter.promptsListChanged === true
      case "resources":
        return filter.resourcesListChanged === true
      case "resource":
        return uris.has(uriKey(change.uri))
    }
  }

const subscription = (id: RequestId): Meta => ({ [MetaKey.subscriptionId]: id })

/** What a listen request runs: nothing of the author's, and for as long as its client wants. */
const listening = (id: RequestId, filter: SubscriptionFilter, hub: Hub): Running => {
  const meta = subscription(id)
  const uris = named(filter)
  const acknowledged = printNotification("notifications/subscriptions/acknowledged", {
    notifications: filter as { readonly [key: string]: boolean | ReadonlyArray<string> },
    _meta: meta
  })
  return {
    name: "subscriptions/listen",
    kind: "listen",
    effect: (call) =>
      Effect.callback<never>(() => {
        call.tell(acknowledged)
        const leave = hub.add({
          hears: hearing(filter, uris),
          tell: (change) => call.tell(printChange(asNamed(change, uris), meta))
        })
        return Effect.sync(leave)
      }),
    services: Context.empty(),
    timeout: undefined,
    died: internalError,
    stopped: { members: "", meta }
  }
}

/** The row of the method; it is always served. */
export const listen =
  (hub: Hub, capabilities: ServerCapabilities, limits: Limits): Row =>
  (request) => {
    const filter = asked(request)
    if (filter === undefined) return RpcError.invalidParams("params.notifications must be a filter; {} hears nothing")
    const uris = filter.resourceSubscriptions?.length ?? 0
    if (uris > limits.subscribedUris) {
      return RpcError.invalidParams(`A subscription names at most ${limits.subscribedUris} resources, this one ${uris}`)
    }
    if (filter.resourceSubscriptions?.some((uri) => uri.length > limits.uriLength) === true) {
      return tooLong(limits)
    }
    return listening(request.request.id, honoured(filter, capabilities), hub)
  }

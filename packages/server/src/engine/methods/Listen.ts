/**
 * `subscriptions/listen`: acknowledged first, then told of what it asked for, until it is closed or the server stops
 * (SUB-01 to SUB-09, SUB-13).
 */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import { isRecord, own } from "@treadle/protocol/json"
import { printNotification, RpcError, type RequestId } from "@treadle/protocol/rpc"
import { MetaKey, type Meta, type ServerCapabilities, type SubscriptionFilter } from "@treadle/protocol/schema"
import { CurrentCall } from "../../CurrentCall.ts"
import type { Admitted } from "../../envelope/Admitted.ts"
import { uriKey } from "../../handler/ResourceUri.ts"
import type { Limits } from "../../Limits.ts"
import { internalError } from "../../reply/ErrorReply.ts"
import type { Row, Running } from "./Row.ts"
import { tooLong } from "./Subscribe.ts"
import { taskScopesMissing, tasksMissing } from "./TaskRows.ts"
import { hearable } from "../offer/Hearable.ts"
import { asNamed, changeKey, printChange, type Hub, type Told } from "../offer/Hub.ts"
import type { Offer } from "../offer/Offer.ts"
import type { RunningCall } from "../RunningCall.ts"
import type { Task } from "../tasks/Task.ts"
import type { Tasks } from "../tasks/Tasks.ts"

const areTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === "string"))

const asked = (request: Admitted): SubscriptionFilter | undefined => {
  const filter = own(request.request.params, "notifications")
  return isRecord(filter) && areTexts(filter["resourceSubscriptions"]) && areTexts(filter["taskIds"])
    ? (filter as SubscriptionFilter)
    : undefined
}

/** What is honoured of a filter: the kinds that this server tells of (SUB-04). @param tasks those that it names */
const honoured = (
  filter: SubscriptionFilter,
  { prompts, resources, tools }: ServerCapabilities,
  tasks: ReadonlyArray<Task>
): SubscriptionFilter => ({
  ...(filter.toolsListChanged === true && tools?.listChanged === true ? { toolsListChanged: true } : {}),
  ...(filter.promptsListChanged === true && prompts?.listChanged === true ? { promptsListChanged: true } : {}),
  ...(filter.resourcesListChanged === true && resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  ...(filter.resourceSubscriptions !== undefined && resources?.subscribe === true
    ? { resourceSubscriptions: [...new Set(filter.resourceSubscriptions)] }
    : {}),
  ...(tasks.length > 0 ? { taskIds: tasks.map(({ id }) => id) } : {})
})

/** Those of a filter's tasks that its sender may ask about (TASK-15). */
const ownTasks = (filter: SubscriptionFilter, request: Admitted, tasks: Tasks): ReadonlyArray<Task> =>
  [...new Set(filter.taskIds)].flatMap((id) => {
    const task = tasks.find(id, request)
    return task === undefined || taskScopesMissing(task, request) !== undefined ? [] : [task]
  })

/** The resources of a filter, as its client wrote them. */
const named = (filter: SubscriptionFilter): ReadonlyMap<string, string> =>
  new Map((filter.resourceSubscriptions ?? []).map((uri) => [uriKey(uri), uri]))

const hearing =
  (filter: SubscriptionFilter, uris: ReadonlyMap<string, string>) =>
  (change: Told): boolean => {
    switch (change._tag) {
      case "task":
        return filter.taskIds?.includes(change.id) === true
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

/** Those of a filter's resources that its client may hear of. */
type Admit = (
  uris: ReadonlyArray<string>,
  call: RunningCall
) => Effect.Effect<ReadonlyArray<string>, never, CurrentCall>

const acknowledged = (filter: SubscriptionFilter, meta: Meta): string =>
  printNotification("notifications/subscriptions/acknowledged", {
    notifications: filter as { readonly [key: string]: boolean | ReadonlyArray<string> },
    _meta: meta
  })

/**
 * One listener. It listens before it knows what it may hear of, so that no change in between is lost; what happens until
 * then is told after the acknowledgement.
 */
class Listening {
  readonly #call: RunningCall
  readonly #meta: Meta
  readonly #uris: Map<string, string>
  readonly #held = new Map<string, Told>()
  #open = false
  readonly hears: (change: Told) => boolean

  constructor(call: RunningCall, meta: Meta, filter: SubscriptionFilter) {
    this.#call = call
    this.#meta = meta
    this.#uris = new Map(named(filter))
    this.hears = hearing(filter, this.#uris)
  }

  readonly tell = (change: Told): void => {
    if (!this.#open) return void this.#held.set(changeKey(change), change)
    this.#call.tell(printChange(asNamed(change, this.#uris), this.#meta))
    if (change._tag === "resource" && change.last === true) this.#uris.delete(uriKey(change.uri))
  }

  /** Acknowledges what is left of the filter, and tells from here on. */
  admitted(filter: SubscriptionFilter): void {
    const admitted = named(filter)
    for (const key of this.#uris.keys()) if (!admitted.has(key)) this.#uris.delete(key)
    this.#call.tell(acknowledged(filter, this.#meta))
    this.#open = true
    for (const change of this.#held.values()) if (this.hears(change)) this.tell(change)
    this.#held.clear()
  }
}

/** What a listen request runs, for as long as its client wants. How its tasks stand is told at once. */
const listening = (
  id: RequestId,
  filter: SubscriptionFilter,
  tasks: ReadonlyArray<Task>,
  hub: Hub,
  admit: Admit
): Running => {
  const meta = subscription(id)
  const uris = filter.resourceSubscriptions
  return {
    name: "subscriptions/listen",
    kind: "listen",
    effect: (call) =>
      Effect.suspend(() => {
        const listener = new Listening(call, meta, filter)
        const leave = hub.add(listener)
        for (const task of tasks) listener.tell(task)
        const admitted =
          uris === undefined
            ? Effect.succeed(filter)
            : Effect.map(admit(uris, call), (heard) => ({ ...filter, resourceSubscriptions: heard }))
        return Effect.ensuring(
          Effect.flatMap(admitted, (left) => {
            listener.admitted(left)
            return Effect.never
          }),
          Effect.sync(leave)
        )
      }),
    services: Context.empty(),
    timeout: undefined,
    died: internalError,
    stopped: { members: "", meta }
  }
}

/** Leaves out what nothing reads, and what its author says is not heard of (SUB-04). */
const admitting =
  ({ offer, settled }: Pick<ListenParts, "offer" | "settled">): Admit =>
  (uris, call) => {
    const left = (uri: string): Effect.Effect<ReadonlyArray<string>, never, CurrentCall> => {
      const may = hearable(uri, offer, call.context, settled)
      if (may._tag !== "asked") return Effect.succeed(may._tag === "yes" ? [uri] : [])
      const { entry, reason } = may
      const asked = Effect.provideContext(reason(call), Context.add(entry.services, CurrentCall, call))
      return Effect.map(asked, (why) => (why === undefined ? [uri] : []))
    }
    // To find what serves a long URI takes a while, and others are served between two of them.
    const inTurns = Effect.forEach(uris, (uri, at) =>
      at === 0 ? left(uri) : Effect.andThen(Effect.yieldNow, left(uri))
    )
    return Effect.map(inTurns, (heard) => heard.flat())
  }

/** What the row is made of. */
export interface ListenParts {
  readonly hub: Hub
  readonly capabilities: ServerCapabilities
  readonly limits: Limits
  readonly offer: Pick<Offer, "resources" | "templates">
  /** The tasks that there are; none, where there never are any. */
  readonly tasks: Tasks | undefined
  /** Whether the list of resources stays as it was at the start. */
  readonly settled: boolean
}

/** The row of the method; it is always served. */
export const listen = ({ capabilities, hub, limits, tasks, ...parts }: ListenParts): Row => {
  const admit = admitting(parts)
  return (request) => {
    const filter = asked(request)
    if (filter === undefined) return RpcError.invalidParams("params.notifications must be a filter; {} hears nothing")
    const { resourceSubscriptions = [], taskIds = [] } = filter
    const missing = tasks === undefined || filter.taskIds === undefined ? undefined : tasksMissing(request, "taskIds")
    if (missing !== undefined) return missing
    for (const [named, what] of [
      [resourceSubscriptions, "resources"],
      [taskIds, "tasks"]
    ] as const) {
      if (named.length <= limits.subscribedUris) continue
      return RpcError.invalidParams(
        `A subscription names at most ${limits.subscribedUris} ${what}, this one ${named.length}`
      )
    }
    if (resourceSubscriptions.some((uri) => uri.length > limits.uriLength)) return tooLong(limits)
    const own = tasks === undefined ? [] : ownTasks(filter, request, tasks)
    return listening(request.request.id, honoured(filter, capabilities, own), own, hub, admit)
  }
}

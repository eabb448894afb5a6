/**
 * The official clients as tests use them: one of each generation and era, over HTTP and over a child process. Each is
 * asked by handlers of its own and hears on handlers of its own; nothing of it is replaced.
 */
import { Readable, type Stream } from "node:stream"
import { text } from "node:stream/consumers"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Recorder, type RawMessage } from "@treadle/testing"

/** Where a peer connects to. */
export interface Target {
  readonly url: string
  readonly program: string
}

export const doors = ["http", "stdio"] as const
export type Door = (typeof doors)[number]

/** What a call may be told, alike in both generations. */
export interface PeerOptions {
  readonly onprogress?: (told: RawMessage) => void
  readonly signal?: AbortSignal
  readonly timeout?: number
  readonly resetTimeoutOnProgress?: boolean
}

/** What reached a peer outside the answers to its requests. */
export type Heard =
  | { readonly what: "log" | "updated"; readonly params: RawMessage }
  | { readonly what: "tools" | "prompts" | "resources"; readonly items: ReadonlyArray<string> }

/** A connected client. */
export interface Peer {
  readonly version: string | undefined
  /** The session that it names, over HTTP. */
  readonly session: () => string | undefined
  /** The process that it started. */
  readonly pid: () => number | null
  /** What that process wrote to its errors output, once it has ended. */
  readonly said: () => Promise<string>
  readonly about: () => { readonly server: unknown; readonly capabilities: unknown; readonly instructions: unknown }
  readonly tools: () => Promise<ReadonlyArray<RawMessage>>
  readonly prompts: () => Promise<ReadonlyArray<RawMessage>>
  readonly templates: () => Promise<ReadonlyArray<RawMessage>>
  readonly resources: (cursor?: string) => Promise<RawMessage>
  readonly read: (uri: string) => Promise<RawMessage>
  readonly prompt: (name: string, args?: Record<string, string>) => Promise<RawMessage>
  readonly complete: (ref: Ref, name: string, value: string, chosen?: Record<string, string>) => Promise<RawMessage>
  readonly call: (name: string, args?: object, options?: PeerOptions, meta?: object) => Promise<RawMessage>
  readonly setLevel: (level: "debug" | "warning") => Promise<unknown>
  readonly ping: () => Promise<unknown>
  readonly rootsChanged: () => Promise<void>
  /** Wants to hear of changes of a resource. @returns stops hearing */
  readonly subscribe: (uri: string) => Promise<() => Promise<unknown>>
  readonly heard: Recorder<Heard>
  /** What it was asked, in order. */
  readonly asked: Array<{ readonly method: string; readonly params: RawMessage }>
  /** How it answers the next question about seats. */
  readonly mood: { action: "accept" | "decline" | "cancel" | "break" }
  /** Everything that it could not make sense of. */
  readonly errors: Array<Error>
  /** How the stream ended on which it hears of changes natively; a session's says nothing. */
  readonly ended: () => Promise<string> | undefined
  /** Ends its session, where it has one, and closes. */
  readonly close: () => Promise<void>
  /** Goes away without a word to the server. */
  readonly leave: () => Promise<void>
}

export type Ref =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string }

const info = { name: "peer", version: "1" }

/** What a client can be asked; nothing, where it is empty. */
export type Can = Partial<typeof able>

const able = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true }
}

/** What every peer keeps, whatever its generation. */
const records = () => {
  const heard = new Recorder<Heard>()
  const asked: Array<{ method: string; params: RawMessage }> = []
  const errors: Array<Error> = []
  const mood: Peer["mood"] = { action: "accept" }
  const changed = (what: "tools" | "prompts" | "resources") => ({
    debounceMs: 0,
    onChanged: (error: Error | null, items: ReadonlyArray<{ readonly name: string }> | null) => {
      if (error !== null) errors.push(error)
      else heard.record({ what, items: (items ?? []).map(({ name }) => name) })
    }
  })
  const noted = (method: string, params: RawMessage): RawMessage => {
    asked.push({ method, params })
    return params
  }
  return {
    heard,
    asked,
    errors,
    mood,
    listChanged: { tools: changed("tools"), prompts: changed("prompts"), resources: changed("resources") },
    elicited: (params: RawMessage) => {
      if (noted("elicitation/create", params)["mode"] === "url") return { action: "accept" as const }
      if (mood.action === "break") throw new Error("The form could not be shown")
      return mood.action === "accept"
        ? { action: "accept" as const, content: { seats: 3, row: "back" } }
        : { action: mood.action }
    },
    sampled: (params: RawMessage) => ({
      model: "peer",
      role: "assistant" as const,
      ...(noted("sampling/createMessage", params)["tools"] === undefined
        ? { content: { type: "text" as const, text: "Hamlet" } }
        : { content: { type: "tool_use" as const, id: "1", name: "look", input: {} }, stopReason: "toolUse" })
    }),
    rooted: () => {
      noted("roots/list", {})
      return { roots: [{ uri: "file:///stage", name: "stage" }] }
    }
  }
}

const child = ({ program }: Target) => ({ command: process.execPath, args: [program], stderr: "pipe" as const })

/** What the clients of both generations have alike. */
interface Official {
  getServerVersion(): unknown
  getServerCapabilities(): unknown
  getInstructions(): unknown
  listTools(): Promise<{ readonly tools: ReadonlyArray<RawMessage> }>
  listPrompts(): Promise<{ readonly prompts: ReadonlyArray<RawMessage> }>
  listResourceTemplates(): Promise<{ readonly resourceTemplates: ReadonlyArray<RawMessage> }>
  listResources(params?: { readonly cursor: string }): Promise<RawMessage>
  readResource(params: { readonly uri: string }): Promise<RawMessage>
  getPrompt(params: { readonly name: string; arguments?: Record<string, string> }): Promise<RawMessage>
  complete(params: {
    readonly ref: Ref
    readonly argument: { readonly name: string; readonly value: string }
    readonly context: { arguments: Record<string, string> }
  }): Promise<{ readonly completion: RawMessage }>
  setLoggingLevel(level: "debug" | "warning"): Promise<unknown>
  ping(): Promise<unknown>
  sendRootsListChanged(): Promise<void>
  subscribeResource(params: { readonly uri: string }): Promise<unknown>
  unsubscribeResource(params: { readonly uri: string }): Promise<unknown>
  close(): Promise<void>
}

/** The transports of both generations, as far as a test looks into them. */
interface Wires {
  readonly http: { readonly sessionId?: string | undefined; terminateSession(): Promise<void> } | undefined
  readonly pipe: { readonly pid: number | null; readonly stderr: Stream | null }
}

const used = (client: Official, { http, pipe }: Wires) => {
  // Read from the start, so that the process is never held back by it.
  const said = pipe.stderr instanceof Readable ? text(pipe.stderr) : Promise.resolve("")
  return {
    session: () => http?.sessionId,
    pid: () => pipe.pid,
    said: () => said,
    about: () => ({
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions()
    }),
    tools: async () => (await client.listTools()).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    resources: (cursor?: string) => client.listResources(cursor === undefined ? undefined : { cursor }),
    read: (uri: string) => client.readResource({ uri }),
    prompt: (name: string, args?: Record<string, string>) =>
      client.getPrompt({ name, ...(args === undefined ? {} : { arguments: args }) }),
    complete: async (ref: Ref, name: string, value: string, chosen: Record<string, string> = {}) =>
      (await client.complete({ ref, argument: { name, value }, context: { arguments: chosen } })).completion,
    setLevel: (level: "debug" | "warning") => client.setLoggingLevel(level),
    ping: () => client.ping(),
    rootsChanged: () => client.sendRootsListChanged(),
    subscribe: async (uri: string) => {
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
    ended: () => undefined,
    close: async () => {
      await http?.terminateSession()
      await client.close()
    },
    leave: () => client.close()
  }
}

/** The official client of the second generation. */
const client2 =
  (mode: "auto" | "legacy") =>
  async (door: Door, target: Target, can: Can = able): Promise<Peer> => {
    const kept = records()
    const http = door === "http" ? new StreamableHTTPClientTransport(new URL(target.url)) : undefined
    const pipe = new StdioClientTransport(child(target))
    const client = new Client(info, { capabilities: can, versionNegotiation: { mode }, listChanged: kept.listChanged })
    client.onerror = (error) => void kept.errors.push(error)
    if (can.elicitation) client.setRequestHandler("elicitation/create", ({ params }) => kept.elicited(params))
    if (can.sampling) client.setRequestHandler("sampling/createMessage", ({ params }) => kept.sampled(params))
    if (can.roots) client.setRequestHandler("roots/list", kept.rooted)
    client.setNotificationHandler("notifications/message", ({ params }) => kept.heard.record({ what: "log", params }))
    client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
      kept.heard.record({ what: "updated", params })
    )
    await client.connect(http ?? pipe)
    const shared = used(client, { http, pipe })
    return {
      ...kept,
      ...shared,
      version: client.getNegotiatedProtocolVersion(),
      call: (name, args = {}, options = {}, meta = {}) =>
        client.callTool({ name, arguments: { ...args }, _meta: { ...meta } }, options),
      ended: () => client.autoOpenedSubscription?.closed,
      subscribe: async (uri) => {
        if (client.getProtocolEra() === "legacy") return shared.subscribe(uri)
        const subscription = await client.listen({ resourceSubscriptions: [uri] })
        return () => subscription.close()
      }
    }
  }

/** The official SDK of the first generation. */
const sdk1 = async (door: Door, target: Target, can: Can = able): Promise<Peer> => {
  const kept = records()
  const http = door === "http" ? new OldHttp(new URL(target.url)) : undefined
  let version: string | undefined
  const pipe = Object.assign(new OldStdio(child(target)), {
    setProtocolVersion: (settled: string) => void (version = settled)
  })
  const client = new OldClient(info, { capabilities: can, listChanged: kept.listChanged })
  client.onerror = (error) => void kept.errors.push(error)
  if (can.elicitation) client.setRequestHandler(ElicitRequestSchema, ({ params }) => kept.elicited(params))
  if (can.sampling) client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => kept.sampled(params))
  if (can.roots) client.setRequestHandler(ListRootsRequestSchema, kept.rooted)
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
    kept.heard.record({ what: "log", params })
  )
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    kept.heard.record({ what: "updated", params })
  )
  const transport = http ?? pipe
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    ...kept,
    ...used(client, { http, pipe }),
    version: http === undefined ? version : http.protocolVersion,
    call: (name, args = {}, options = {}, meta = {}) =>
      client.callTool({ name, arguments: { ...args }, _meta: { ...meta } }, undefined, options)
  }
}

/**
 * Every client, and the era that it ends up in. The second generation tells its callers of a missing resource by the code
 * of the newer era, whatever it was sent.
 */
export const peers = [
  { client: "client 2.4", era: "native", version: "2026-07-28", missing: -32602, connect: client2("auto") },
  {
    client: "client 2.4 in its legacy mode",
    era: "compat",
    version: "2025-11-25",
    missing: -32602,
    connect: client2("legacy")
  },
  { client: "SDK 1.32", era: "compat", version: "2025-11-25", missing: -32002, connect: sdk1 }
] as const

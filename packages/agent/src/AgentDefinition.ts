/**
 * An agent as a value: what it is told, which servers it has, and what bounds it. It does nothing by itself; `Agent.run`
 * and its like run it, and `AgentMcp.make` serves it.
 */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { ClientSettings, McpSession, SendRequest, TokenProvider } from "@treadle/client"
import type { PureSchema, Standard } from "@treadle/protocol/endpoint"
import type { DirectServer } from "@treadle/protocol/framing"
import type { AgentLimits } from "./Limits.ts"
import type { Tag } from "./Tag.ts"

/** What may be said of any server; `connectTimeout` and `probeTimeout` as of a client, 10 s and 5 s by default. */
export interface ServerSettings extends Pick<ClientSettings, "connectTimeout" | "probeTimeout"> {
  /** Whether a run is given up when the server cannot be reached. Default true. */
  readonly required?: boolean
  /** What the server can do to a run. Default `untrusted_input`; of another agent, what its servers can do as well. */
  readonly tags?: ReadonlyArray<Tag>
  /** Whether its own annotations are believed, so that calls it marks as idempotent may be sent twice. Default false. */
  readonly trusted?: boolean
  /** The tools that the agent has of it, by the names that it lists; all of them by default. */
  readonly tools?: ReadonlyArray<string>
  /** Milliseconds for one call of a tool. Default 60,000; progress lets it begin anew. */
  readonly timeout?: number
}

/** What may be said of a server that is reached over HTTP. */
export interface HttpServerSettings extends ServerSettings {
  /** Headers of every request. Credentials are named, as `Bearer {{secret:NAME}}`, and resolved when a run connects. */
  readonly headers?: { readonly [name: string]: string }
  /** What authorizes the requests, such as `OAuth.clientCredentials({ … })` of `@treadle/oauth`. */
  readonly auth?: TokenProvider
  /** The global `fetch` by default; a server's fetch door fits, and needs no socket. */
  readonly fetch?: SendRequest
}

/** Opens a session, or fails with anything; `settings` hold what the agent itself answers and declares. */
export type OpenServer = (settings: ClientSettings) => Effect.Effect<McpSession, unknown, Scope.Scope>

/** A value served in this process, which needs no context. */
export type InProcess = DirectServer<{}, unknown, never>

/** A server with what is said of it. */
export type ServerRef =
  | { readonly _tag: "Http"; readonly url: string; readonly settings: HttpServerSettings }
  | { readonly _tag: "InProcess"; readonly mcp: InProcess; readonly settings: ServerSettings }
  | { readonly _tag: "Agent"; readonly agent: AnyAgent; readonly settings: ServerSettings }
  | {
      readonly _tag: "Open"
      readonly open: OpenServer
      readonly settings: ServerSettings
      /** What is wrong with how it is opened, where that is known before. */
      readonly faults?: ReadonlyArray<{ readonly setting: string; readonly why: string }>
    }

/** What may stand for a server in a definition. */
export type ServerLike = InProcess | string | URL | AnyAgent | ServerRef

/** Servers by their names, or pairs as `Server.parse` gives them. */
export type Servers =
  | { readonly [name: string]: ServerLike }
  | ReadonlyArray<readonly [name: string, server: ServerLike]>

/** The form of an answer: an Effect Schema, or what validates and prints JSON Schema as Zod 4 and ArkType do. */
export type AnswerDef<A> = PureSchema<A> | Standard<unknown, A>

/** What an agent is made of. */
export interface AgentDefinition<A = string, R = never> {
  /** 1 to 64 characters, for people, logs and servers. */
  readonly name: string
  /** Default `1.0.0`. */
  readonly version?: string
  /** What it is for, where it is served to others. */
  readonly description?: string
  /** What the model is told of itself in every run. */
  readonly instruction: string
  readonly servers?: Servers
  /** The form of the answer; without it an answer is text. */
  readonly answer?: AnswerDef<A>
  readonly limits?: AgentLimits
  /**
   * The model of this agent; without it, runs take the one that is provided. A layer that fails leaves a run without a
   * model (`IntelligenceUnavailable`).
   */
  readonly model?: Layer.Layer<LanguageModel, unknown, R>
  /** Whether its runs may start subagents. Default true. */
  readonly subagents?: boolean
  /** Whether its servers may together have all three tags. Every run reports it. Default false. */
  readonly allowTrifecta?: boolean
  /** The key of `_meta` that tells servers the id of a run. Default `dev.treadle/run-id`. */
  readonly runIdKey?: string
}

/** A definition, whatever its answer is and its model needs. */
export type AnyDefinition = AgentDefinition<unknown, unknown>

/** An agent. `A` is its answer, `R` what its runs need. */
export interface Agent<out A = string, out R = LanguageModel> {
  readonly "~treadle/agent": {
    readonly answer: () => A
    readonly needs: () => R
  }
  readonly name: string
  readonly definition: AnyDefinition
}

/** Any agent whose runs need a model at most. */
export type AnyAgent = Agent<unknown, LanguageModel>

/** The key of `_meta` for the id of a run, where the definition says none. */
export const defaultRunIdKey = "dev.treadle/run-id"

/** The key of `_meta` for how deep the caller is: an agent that is called counts on from there. */
export const depthKey = "dev.treadle/depth"

/** The fields of a definition, for those who write JavaScript. */
export const agentFields: ReadonlySet<string> = new Set<keyof AgentDefinition>([
  "name",
  "version",
  "description",
  "instruction",
  "servers",
  "answer",
  "limits",
  "model",
  "subagents",
  "allowTrifecta",
  "runIdKey"
])

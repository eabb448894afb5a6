/**
 * A server as a plain value. The doors are entry points of their own: `@treadle/server/node`, `/http`, `/http-router`.
 * `/http-api` makes tools of the operations of an `HttpApi`, and serves operations as routes; `/toolkit` makes tools of a
 * `Toolkit` of `effect/ai`.
 */
export { Ask, type FormAnswer, type UrlAnswer } from "./Ask.ts"
export { AskFailed, type AskFailure } from "./AskFailed.ts"
export type { CatalogOptions } from "./CatalogOptions.ts"
export { Change } from "./Change.ts"
export type { Chosen, Completer, Proposals } from "./Completer.ts"
export { Counters } from "./Counters.ts"
export type { AuthSettings, Authentication } from "./Authentication.ts"
export type { ScopeHierarchy } from "./AuthScope.ts"
export { CurrentCall, type Call } from "./CurrentCall.ts"
export type { DefectPlace, OnDefect } from "./engine/Defects.ts"
export type { EffectOrPromise, Replied, TextUnlessOutputIsDeclared } from "./EffectOrPromise.ts"
export { Limits } from "./Limits.ts"
export {
  Live,
  type LiveHandle,
  type LiveService,
  type LiveSettings,
  type Part,
  type Removal,
  type Removed
} from "./Live.ts"
export { Mcp, type Handler, type With } from "./Mcp.ts"
export { describe as describeBuildError, McpBuildErrors, type McpBuildError, type Place } from "./McpBuildError.ts"
export type { McpInfo } from "./McpInfo.ts"
export { McpMemory } from "./McpMemory.ts"
export type {
  BearerPrincipal,
  CertificatePrincipal,
  ContextPrincipal,
  Principal,
  TokenPrincipal,
  Vouched
} from "./Principal.ts"
export {
  Prompt,
  type PromptArguments,
  type PromptBody,
  type PromptDefinition,
  type PromptMessage
} from "./PromptDefinition.ts"
export { ProtectedResource, type ProtectedResourceSettings, type ResourceScopes } from "./ProtectedResource.ts"
export type { ReadBody, ReadItem, ResourceDefinition, TemplateDefinition, Variables } from "./ResourceDefinition.ts"
export { ResourceUnavailable } from "./ResourceUnavailable.ts"
export type { Served, ServedSettings } from "./Served.ts"
export type { ListHints } from "./ServerInfo.ts"
export type { StateKey } from "./StateKey.ts"
export { StaticBearer, type StaticBearerSettings } from "./StaticBearer.ts"
export { StateStore, type StateStoreService } from "./StateStore.ts"
export {
  TokenRefused,
  TokenVerifier,
  VerifierUnavailable,
  type PresentedToken,
  type VerifiedToken,
  type Verify
} from "./TokenVerifier.ts"
export { ToolFailed } from "./ToolError.ts"
export type { TaskOption, TaskOptions } from "./TaskOptions.ts"
export type { ToolOptions } from "./ToolOptions.ts"
export { Arg, Content, Endpoint, Reply } from "@treadle/protocol"

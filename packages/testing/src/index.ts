/**
 * What the tests of this repository share: generators, laws, and streams in pieces.
 */
export { crumbs, cutAt, everyCut, places, type Cuttable } from "./Chunked.ts"
export { docExamples, runDocExample, type DocCheck, type DocExample, type DocHost } from "./DocExamples.ts"
export {
  fixtureHandlers,
  fixtureTools,
  Probe,
  suiteLimits,
  secret,
  Show,
  ShowNotFound,
  type FixtureCall
} from "./FixtureTools.ts"
export { failureOf, heardSpans, type HeardSpans } from "./HeardSpans.ts"
export { inverts, isTotal, keepsAll, sameJson, type WireCodec } from "./Laws.ts"
export { patient } from "./Ports.ts"
export { isAlive } from "./Processes.ts"
export {
  anyText,
  hostileJson,
  json,
  jsonObject,
  message,
  requestId,
  rpcError,
  tellingObject,
  wellFormedText
} from "./RpcGens.ts"
export { inputCase, type InputCase } from "./SchemaGens.ts"
export { rawHttp, type RawHttp, type RawHttpReply, type RawHttpScript, type RawHttpSeen } from "./RawHttp.ts"
export { Recorder } from "./Recorder.ts"
export { scriptedChild, type ChildPeer, type ScriptedChild } from "./ScriptedChild.ts"
export {
  scriptedHttp,
  type HttpScript,
  type HttpScriptReply,
  type HttpSeen,
  type ScriptedHttp
} from "./ScriptedHttp.ts"
export {
  compatOf,
  rawAsk,
  rawCall,
  rawDeclaring,
  rawError,
  rawHandshake,
  rawLogLevel,
  rawRequest,
  rawResult,
  rawToolCall,
  rawVersion,
  type RawCall,
  type RawMessage,
  type RawPeer
} from "./RawPeer.ts"
export { makeAuthPerson, type AuthPerson } from "./AuthPerson.ts"
export {
  htmlPage,
  type AuthClient,
  type AuthSeen,
  type AuthServerScript,
  type Canned,
  type Issued,
  type ProtectedMcpScript,
  type Refusal,
  type ResourceMetadataForm,
  type ServerMetadataForm
} from "./AuthScript.ts"
export type { AuthServer } from "./AuthWorld.ts"
export { oauthError } from "./AuthTokens.ts"
export { dpopTokenHash, readDpopProof, type DpopProof } from "./DpopProof.ts"
export type { ProtectedMcp } from "./ProtectedMcp.ts"
export { scriptedAuth, type ScriptedAuth, type ScriptedAuthShape } from "./ScriptedAuth.ts"
export {
  anthropicAnswer,
  anthropicStream,
  openAiAnswer,
  openAiCall,
  openAiStream,
  scriptedModel,
  streams,
  type AnthropicBlock,
  type ModelAnswer,
  type ScriptedModel
} from "./ScriptedModel.ts"
export { withSleeps } from "./Sleeps.ts"

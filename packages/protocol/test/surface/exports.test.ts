/**
 * The public names of each entry point. A name more or less is a decision.
 */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

const manifest: { readonly exports: { readonly [path: string]: unknown } } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

const names: { readonly [path: string]: string } = {
  ".": "Arg Content Endpoint Reply",
  "./endpoint": `
    Arg Endpoint Reply effectCodec endpointOf errorSchemas errorTag hintAnnotations isReply toolShape
  `,
  "./era": `
    commonVersion eraOf isProtocolVersion latestNative nativeVersions negotiated protocolVersions revisionOf v2026_07_28
  `,
  "./framing": "LineCutter SseReader linePair printSse sseComment sseRetry webUtf8",
  "./http": `
    HeaderName accepted compareParams decodeHeaderValue encodeHeaderValue isEventStreamType isJsonType
    mirrorParams paramHeaders parseChallenges printChallenge trimHeaderValue
  `,
  "./json": `
    anyOfObjects censorOf definitionOf embed fromBase64 hasObjectRoot isJsonObject isRecord lean lintSchema maxSchemaDepth
    namesOf nearestNames nestsDeeper objectRoot own parseJson pathText printSchema problemOptions record refuseSchema resolveRoot schemaProblems
    standardProblems structured textFromBase64 toBase64 tooDeep unknownNames unwrap wireDecoder wrap
  `,
  "./rpc": `
    ErrorCode Message RequestId RpcError defaultNesting errorName isRequestId methodNames methodRow printNotification
    printResult requestKey
  `,
  "./schema": `
    Acknowledged Annotations AudioContent BlobResourceContents CacheHint Cancelled ClientCapabilities
    ClientRequest CompletionArgument CompletionContext CompletionReference CompletionResult Content ContentBlock
    CreateMessageRequest CreateMessageResult CreateTaskResult DetailedTask DiscoverResult ElicitRequest
    ElicitResult ElicitationComplete EmbeddedResource EmptyResult ExtensionId FormField FormRequest FormSchema
    GetTaskResult Icon ImageContent Implementation InitializeRequest InitializeResult InputRequest InputRequests
    InputRequiredResult InputResponse InputResponses KnownNotification ListenResult LogLevel LogMessage Meta
    MetaKey ModelPreferences ObjectSchema Progress ProgressToken Prompt PromptArgument PromptMessage PromptPage
    PromptResult ReadResult Resource ResourceContents ResourceLink ResourcePage ResourceTemplate ResourceUpdated
    Role Root RootsResult SamplingMessage ServerCapabilities ServerRequest ServerResult SubscriptionFilter Task
    TaskRequest TaskStatus TaskUpdate TemplatePage TextContent TextResourceContents Tool ToolAnnotations
    ToolName ToolPage ToolResult ToolResultContent ToolUseContent UnknownContent UriTemplate UrlRequest
    declaresTasks displayName fillForm formAnswer formSchema isFinalStatus isIconAddress isLogLevel isMetaKey
    isReservedMetaKey logLevels maxCompletions passesLevel requestMeta tasksExtension textOf
  `,
  "./trace": "readTrace requestSpan spanEnd writeTrace"
}

it("the entry points are these", () => {
  assert.deepStrictEqual(Object.keys(manifest.exports).sort(), [...Object.keys(names), "./package.json"].sort())
})

it.each(Object.entries(names))("the names of %s are these", async (path, expected) => {
  const entry: object = await import(/* @vite-ignore */ `@treadle/protocol${path.slice(1)}`)
  assert.deepStrictEqual(Object.keys(entry).sort(), expected.trim().split(/\s+/).sort())
})

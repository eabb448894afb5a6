export { Annotations, ToolAnnotations } from "./Annotations.ts"
export { CacheHint } from "./CacheHint.ts"
export { Cancelled } from "./Cancelled.ts"
export { ClientCapabilities, ServerCapabilities } from "./Capabilities.ts"
export { ClientRequest, type ClientMethod } from "./ClientRequest.ts"
export {
  CompletionArgument,
  CompletionContext,
  CompletionReference,
  CompletionResult,
  maxCompletions
} from "./Completion.ts"
export {
  AudioContent,
  Content,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  UnknownContent
} from "./Content.ts"
export { DiscoverResult } from "./Discover.ts"
export {
  ElicitationComplete,
  ElicitRequest,
  ElicitResult,
  FormField,
  FormRequest,
  FormSchema,
  UrlRequest
} from "./Elicitation.ts"
export { ExtensionId } from "./ExtensionId.ts"
export { fillForm, type FormContent } from "./FormContent.ts"
export { formAnswer, formSchema, type FormSource } from "./FormPrinter.ts"
export { Icon, isIconAddress } from "./Icon.ts"
export { Implementation } from "./Implementation.ts"
export { InitializeRequest, InitializeResult } from "./Initialize.ts"
export {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
  type InputRound
} from "./InputRequired.ts"
export { KnownNotification, type NotificationMethod } from "./KnownNotification.ts"
export { isLogLevel, LogLevel, logLevels, LogMessage, passesLevel } from "./Logging.ts"
export { isMetaKey, isReservedMetaKey, Meta, MetaKey } from "./Meta.ts"
export { PromptPage, ReadResult, ResourcePage, TemplatePage, ToolPage } from "./Page.ts"
export { Progress, ProgressToken } from "./Progress.ts"
export { Prompt, PromptArgument, PromptMessage, PromptResult, Role } from "./Prompt.ts"
export { requestMeta, type RequestFacts } from "./RequestMeta.ts"
export { Resource, ResourceTemplate } from "./Resource.ts"
export { BlobResourceContents, ResourceContents, TextResourceContents } from "./ResourceContents.ts"
export { Root, RootsResult } from "./Roots.ts"
export {
  CreateMessageRequest,
  CreateMessageResult,
  ModelPreferences,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent
} from "./Sampling.ts"
export { ServerRequest, type ClientAnswer, type ServerMethod } from "./ServerRequest.ts"
export { EmptyResult, ServerResult, type Round } from "./ServerResult.ts"
export { Acknowledged, ListenResult, ResourceUpdated, SubscriptionFilter } from "./Subscription.ts"
export {
  CreateTaskResult,
  declaresTasks,
  DetailedTask,
  GetTaskResult,
  isFinalStatus,
  Task,
  TaskRequest,
  tasksExtension,
  TaskStatus,
  TaskUpdate
} from "./Task.ts"
export { displayName, ObjectSchema, Tool } from "./Tool.ts"
export { ToolName } from "./ToolName.ts"
export { textOf, ToolResult } from "./ToolResult.ts"
export { UriTemplate } from "./UriTemplate.ts"

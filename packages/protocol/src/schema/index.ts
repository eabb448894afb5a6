export { Annotations, ToolAnnotations } from "./Annotations.ts"
export { CacheHint } from "./CacheHint.ts"
export { Cancelled } from "./Cancelled.ts"
export { ClientCapabilities, ServerCapabilities } from "./Capabilities.ts"
export { ClientRequest, requestMeta, type ClientMethod, type RequestFacts } from "./ClientRequest.ts"
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
export { ExtensionId } from "./ExtensionId.ts"
export { Icon, isIconAddress } from "./Icon.ts"
export { Implementation } from "./Implementation.ts"
export { KnownNotification } from "./KnownNotification.ts"
export { isLogLevel, LogLevel, logLevels, LogMessage, passesLevel } from "./Logging.ts"
export { isMetaKey, isReservedMetaKey, Meta, MetaKey } from "./Meta.ts"
export { ToolPage } from "./Page.ts"
export { Progress, ProgressToken } from "./Progress.ts"
export { BlobResourceContents, ResourceContents, TextResourceContents } from "./ResourceContents.ts"
export { ServerResult } from "./ServerResult.ts"
export { displayName, ObjectSchema, Tool } from "./Tool.ts"
export { ToolName } from "./ToolName.ts"
export { textOf, ToolResult } from "./ToolResult.ts"

/**
 * Definitions of the specification's example messages that have no codec yet, each with the reason. A later issue that
 * adds the codec takes its line away; the corpus test fails on a line that is no longer needed.
 */
const prompts = "prompts are a later issue"
const resources = "resources are a later issue"
const completion = "completion is a later issue"
const elicitation = "elicitation is a later issue"
const sampling = "sampling (deprecated) is a later issue"
const roots = "roots (deprecated) are a later issue"
const rounds = "multi round-trip requests are a later issue"
const subscriptions = "subscriptions are a later issue"

export const skips: { readonly [definition: string]: string } = {
  BooleanSchema: elicitation,
  CompleteRequest: completion,
  CompleteRequestParams: completion,
  CompleteResult: completion,
  CompleteResultResponse: completion,
  CreateMessageRequest: sampling,
  CreateMessageRequestParams: sampling,
  CreateMessageResult: sampling,
  ElicitRequest: elicitation,
  ElicitRequestFormParams: elicitation,
  ElicitRequestURLParams: elicitation,
  ElicitResult: elicitation,
  GetPromptRequest: prompts,
  GetPromptRequestParams: prompts,
  GetPromptResult: prompts,
  GetPromptResultResponse: prompts,
  InputRequests: rounds,
  InputRequiredResult: rounds,
  InputResponses: rounds,
  ListPromptsRequest: prompts,
  ListPromptsResult: prompts,
  ListPromptsResultResponse: prompts,
  ListResourceTemplatesRequest: resources,
  ListResourceTemplatesResult: resources,
  ListResourceTemplatesResultResponse: resources,
  ListResourcesRequest: resources,
  ListResourcesResult: resources,
  ListResourcesResultResponse: resources,
  ListRootsRequest: roots,
  ListRootsResult: roots,
  ModelPreferences: sampling,
  NumberSchema: elicitation,
  ReadResourceRequest: resources,
  ReadResourceResult: resources,
  ReadResourceResultResponse: resources,
  Resource: resources,
  ResourceUpdatedNotification: subscriptions,
  ResourceUpdatedNotificationParams: subscriptions,
  Root: roots,
  SamplingMessage: sampling,
  StringSchema: elicitation,
  SubscriptionsAcknowledgedNotification: subscriptions,
  SubscriptionsListenRequest: subscriptions,
  SubscriptionsListenResult: subscriptions,
  SubscriptionsListenResultResponse: subscriptions,
  TitledMultiSelectEnumSchema: elicitation,
  TitledSingleSelectEnumSchema: elicitation,
  ToolResultContent: sampling,
  ToolUseContent: sampling,
  UntitledMultiSelectEnumSchema: elicitation,
  UntitledSingleSelectEnumSchema: elicitation
}

/**
 * Answers with a cache hint: pages of the four lists, and what a resource holds. A cursor is opaque and may be the empty
 * string; its absence is the end (PAGE-01, PAGE-02).
 */
import * as Schema from "effect/Schema"
import { cacheMembers } from "./CacheHint.ts"
import { Meta } from "./Meta.ts"
import { Prompt } from "./Prompt.ts"
import { Resource, ResourceTemplate } from "./Resource.ts"
import { ResourceContents } from "./ResourceContents.ts"
import { Tool } from "./Tool.ts"

const cached = {
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  ...cacheMembers,
  _meta: Schema.optionalKey(Meta)
}

const page = { ...cached, nextCursor: Schema.optionalKey(Schema.String) }

/** What `tools/list` answers. */
export const ToolPage = Schema.Struct({ ...page, tools: Schema.Array(Tool) })
export interface ToolPage extends Schema.Schema.Type<typeof ToolPage> {}

/** What `resources/list` answers. */
export const ResourcePage = Schema.Struct({ ...page, resources: Schema.Array(Resource) })
export interface ResourcePage extends Schema.Schema.Type<typeof ResourcePage> {}

/** What `resources/templates/list` answers. */
export const TemplatePage = Schema.Struct({ ...page, resourceTemplates: Schema.Array(ResourceTemplate) })
export interface TemplatePage extends Schema.Schema.Type<typeof TemplatePage> {}

/** What `prompts/list` answers. */
export const PromptPage = Schema.Struct({ ...page, prompts: Schema.Array(Prompt) })
export interface PromptPage extends Schema.Schema.Type<typeof PromptPage> {}

/** What `resources/read` answers: the resource, or what lies below it (RES-03). */
export const ReadResult = Schema.Struct({ ...cached, contents: Schema.Array(ResourceContents) })
export interface ReadResult extends Schema.Schema.Type<typeof ReadResult> {}

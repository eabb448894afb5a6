/**
 * What an author may say of a server and of each thing on it, by name. Anything else is a mistake: a setting that is not
 * read protects nothing.
 */
import type { Description, EndpointDef, Hints } from "@treadle/protocol/endpoint"
import { isRecord, namesOf, unknownNames } from "@treadle/protocol/json"
import type { CacheHint } from "@treadle/protocol/schema"
import type { CatalogOptions } from "../CatalogOptions.ts"
import type { LiveSettings } from "../Live.ts"
import type { McpInfo } from "../McpInfo.ts"
import type { ReadDefinition, ResourceDefinition } from "../ResourceDefinition.ts"
import type { ListHints } from "../ServerInfo.ts"
import type { ToolOptions } from "../ToolOptions.ts"
import type { AnyPromptDefinition } from "./PromptHandler.ts"
import type { AnyTemplateDefinition } from "./TemplateHandler.ts"

const read = namesOf<ReadDefinition<never>>({
  name: true,
  title: true,
  description: true,
  mimeType: true,
  icons: true,
  annotations: true,
  meta: true,
  cache: true,
  visible: true,
  scopes: true,
  timeout: true
})

export const settingNames = {
  info: namesOf<McpInfo<never>>({
    name: true,
    version: true,
    title: true,
    websiteUrl: true,
    icons: true,
    instructions: true,
    principal: true,
    cache: true,
    live: true,
    logging: true
  }),
  live: namesOf<LiveSettings>({ tools: true, prompts: true, resources: true, subscriptions: true }),
  lists: namesOf<ListHints>({ discover: true, tools: true, resources: true, templates: true, prompts: true }),
  cache: namesOf<CacheHint>({ ttlMs: true, cacheScope: true }),
  contract: namesOf<Description & Partial<EndpointDef> & { readonly http?: string }>({
    description: true,
    title: true,
    input: true,
    output: true,
    errors: true,
    hints: true,
    icons: true,
    meta: true,
    http: true
  }),
  hints: namesOf<Hints>({ readOnly: true, destructive: true, idempotent: true, openWorld: true }),
  tool: namesOf<ToolOptions<never>>({
    visible: true,
    scopes: true,
    timeout: true,
    once: true,
    strict: true,
    task: true
  }),
  catalog: namesOf<CatalogOptions>({ allow: true }),
  resource: [
    ...read,
    ...namesOf<Omit<ResourceDefinition<never>, keyof ReadDefinition<never>>>({ uri: true, size: true })
  ],
  template: [
    ...read,
    ...namesOf<Omit<AnyTemplateDefinition, keyof ReadDefinition<never>>>({
      uriTemplate: true,
      variables: true,
      complete: true
    })
  ],
  prompt: namesOf<AnyPromptDefinition>({
    description: true,
    title: true,
    icons: true,
    meta: true,
    arguments: true,
    complete: true,
    visible: true,
    scopes: true,
    timeout: true
  })
}

/**
 * What is said that is no setting, each with the cure.
 *
 * @param within where it is said, as `cache.`
 */
export const unknownSettings = (said: unknown, known: ReadonlyArray<string>, within = ""): ReadonlyArray<string> =>
  isRecord(said) ? unknownNames(said, known).map(({ name, why }) => `${within}${name}: ${why}`) : []

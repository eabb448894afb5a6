/**
 * Something that a server tells those who listen: a list that changed, or a resource that did.
 */

export type Change =
  | { readonly _tag: "tools" }
  | { readonly _tag: "prompts" }
  | { readonly _tag: "resources" }
  | {
      readonly _tag: "resource"
      readonly uri: string
      /** It does not change again: who listens is told, and then subscribed to it no more. */
      readonly last?: true
    }

/**
 * @example
 * ```ts
 * import { Change } from "@treadle/server"
 *
 * Change.resource("box-office://board") // => { _tag: "resource", uri: "box-office://board" }
 * ```
 */
export const Change = {
  /** The list of tools is another one. */
  tools: { _tag: "tools" } as Change,
  prompts: { _tag: "prompts" } as Change,
  resources: { _tag: "resources" } as Change,
  /** One resource would read differently now. @param uri as it is listed, or as a template expands to it */
  resource: (uri: string): Change => ({ _tag: "resource", uri }),
  /** A resource changed for the last time: after this its subscriptions are over. @param uri as of `resource` */
  lastOf: (uri: string): Change => ({ _tag: "resource", uri, last: true })
}

/**
 * Hearing of changes, in one vocabulary for both eras.
 */

/** What to hear of. */
export interface Watched {
  /** The list of tools. */
  readonly tools?: boolean
  /** The list of prompts. */
  readonly prompts?: boolean
  /** The lists of resources and of templates. */
  readonly resources?: boolean
  /** What these addresses hold. */
  readonly uris?: ReadonlyArray<string>
}

/** Something changed: fetch it again, since a change carries no content. */
export type Change =
  | {
      readonly _tag: "ToolsChanged" | "PromptsChanged" | "ResourcesChanged"
      /** It may have changed: the connection was lost for a while, and nobody could say. */
      readonly missed: boolean
    }
  | {
      readonly _tag: "ResourceUpdated"
      /** The address; it may lie below the one that is watched (SUB-12). */
      readonly uri: string
      readonly missed: boolean
    }

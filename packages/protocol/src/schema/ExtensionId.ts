/**
 * Ids of extensions: a `_meta` key whose prefix is obligatory, such as `io.modelcontextprotocol/ui` (VER-04).
 */
import * as Result from "effect/Result"
import { isMetaKey } from "./Meta.ts"

/** An id that follows the grammar. */
export type ExtensionId = string & { readonly "~treadle/ExtensionId": true }

/**
 * Checks an id.
 *
 * @returns the id, or a sentence that names the rule it breaks
 */
const from = (id: string): Result.Result<ExtensionId, string> => {
  const slash = id.indexOf("/")
  if (slash <= 0 || slash === id.length - 1) {
    return Result.fail(`Extension id ${JSON.stringify(id)} must be a prefix and a name, as "com.example/thing"`)
  }
  if (!isMetaKey(id)) {
    return Result.fail(
      `Extension id ${JSON.stringify(id)} breaks the grammar: the prefix is labels of A-Z a-z 0-9 - joined by dots, ` +
        `each starting with a letter; the name is A-Z a-z 0-9 . _ - between letters or digits`
    )
  }
  return Result.succeed(id as ExtensionId)
}

/** Checks ids of extensions. */
export const ExtensionId = { from }

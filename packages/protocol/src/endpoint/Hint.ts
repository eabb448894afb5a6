/**
 * What an author says a tool does, as a record: what is said is sent as said, `false` included; what is not said is not
 * sent (TOOL-09).
 */
import type { ToolAnnotations } from "../schema/index.ts"

/** What a tool does to the world. What is left out is not sent. */
export interface Hints {
  /** It changes nothing. The specification reads silence as `false`. */
  readonly readOnly?: boolean
  /** It may destroy or overwrite. The specification reads silence as `true`. */
  readonly destructive?: boolean
  /** Calling it again with the same arguments changes nothing more. Silence is `false`. */
  readonly idempotent?: boolean
  /** It reaches beyond a closed world, such as the web. Silence is `true`. */
  readonly openWorld?: boolean
}

/** The annotations of a listed tool, or `undefined` where nothing was said. */
export const hintAnnotations = (hints: Hints | undefined): ToolAnnotations | undefined => {
  if (hints === undefined) return undefined
  const out = {
    ...(hints.readOnly === undefined ? {} : { readOnlyHint: hints.readOnly }),
    ...(hints.destructive === undefined ? {} : { destructiveHint: hints.destructive }),
    ...(hints.idempotent === undefined ? {} : { idempotentHint: hints.idempotent }),
    ...(hints.openWorld === undefined ? {} : { openWorldHint: hints.openWorld })
  }
  return Object.keys(out).length === 0 ? undefined : out
}

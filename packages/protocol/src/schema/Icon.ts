/**
 * An icon of a server, a tool, a prompt or a resource.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#icons
 */
import * as Schema from "effect/Schema"

/** An icon: where it is, its media type, sizes such as `48x48` or `any`, and the background that it is made for. */
export const Icon = Schema.Struct({
  src: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  sizes: Schema.optionalKey(Schema.Array(Schema.String)),
  theme: Schema.optionalKey(Schema.Literals(["light", "dark"]))
})
export interface Icon extends Schema.Schema.Type<typeof Icon> {}

/** Whether a client may load an icon from this address: `https:` and `data:` only (ICON-03). */
export const isIconAddress = (src: string): boolean => /^(?:https|data):/i.test(src)

/**
 * A handler's value with content blocks beside it.
 */
import type { Content, Meta } from "../schema/index.ts"

/** A typed value, blocks that follow its text, and `_meta` of the result. */
export interface Reply<out A> {
  readonly "~treadle/Reply": true
  readonly value: A
  readonly content: ReadonlyArray<Content>
  /** The text of the value, in place of its JSON. */
  readonly text?: string
  readonly meta?: Meta
}

/** Whether a handler returned a reply instead of a bare value. */
export const isReply = (value: unknown): value is Reply<unknown> =>
  typeof value === "object" && value !== null && (value as { "~treadle/Reply"?: unknown })["~treadle/Reply"] === true

/**
 * Makes replies.
 *
 * @example
 * ```ts
 * import { Content, Reply } from "@treadle/protocol"
 *
 * Reply.of({ rows: 3 }, Content.text("A chart would follow")).content.length // => 1
 * ```
 */
export const Reply = {
  /** A value of the declared output, with blocks beside it. */
  of: <A>(value: A, ...content: ReadonlyArray<Content>): Reply<A> => ({ "~treadle/Reply": true, value, content }),
  /** Blocks only, for a tool without an output schema. */
  text: (...content: ReadonlyArray<Content>): Reply<string> => ({ "~treadle/Reply": true, value: "", content }),
  /** The same reply with this text in place of the JSON of its value, for readers of text only. */
  withText: <A>(reply: Reply<A>, text: string): Reply<A> => ({ ...reply, text }),
  /** The same reply with `_meta` on its result. */
  withMeta: <A>(reply: Reply<A>, meta: Meta): Reply<A> => ({ ...reply, meta })
}

/**
 * What a server can do to a run, as its operator says: it brings text of strangers, it reads what is private, it reaches
 * the outside. Any two are fine; with all three a stranger's text can carry private data away, so an agent that has them
 * all is refused.
 */

/** A property of a server. One that has no tags counts as `untrusted_input`. */
export type Tag = "untrusted_input" | "sensitive" | "egress"

export const tags: ReadonlyArray<Tag> = ["untrusted_input", "sensitive", "egress"]

const isTag = (text: string): text is Tag => tags.some((tag) => tag === text)

/** The tags that hold for a server; what is said and is no tag is named. */
export const heldTags = (said: ReadonlyArray<string> | undefined): ReadonlyArray<Tag> =>
  Array.isArray(said) ? said.filter(isTag) : ["untrusted_input"]

export const unknownTags = (said: ReadonlyArray<string>): ReadonlyArray<string> => said.filter((text) => !isTag(text))

/** Whether servers with these tags together have all three. */
export const isTrifecta = (held: Iterable<ReadonlyArray<Tag>>): boolean => {
  const together = new Set<Tag>()
  for (const one of held) for (const tag of one) together.add(tag)
  return together.size === tags.length
}

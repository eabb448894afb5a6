/**
 * Choosing a revision that both sides speak.
 */

/**
 * The first of our revisions that the peer speaks too.
 *
 * @param ours in the order of preference
 * @param theirs in any order
 */
export const commonVersion = <V extends string>(ours: ReadonlyArray<V>, theirs: ReadonlyArray<string>): V | undefined =>
  ours.find((version) => theirs.includes(version))

/**
 * Proposals as the payload of their answer: at most a hundred, and how many there are (COMP-02).
 */
import { maxCompletions } from "@treadle/protocol/schema"
import type { NeutralResult } from "./NeutralResult.ts"

/** @throws where the author's function gave no list of text: inside its fiber, so that it is a defect of its own */
export const completionReply = (argument: string, proposals: unknown): NeutralResult => {
  if (!Array.isArray(proposals) || !proposals.every((proposal) => typeof proposal === "string")) {
    throw new TypeError(`The completion of ${argument} gave no list of strings`)
  }
  const values = JSON.stringify(proposals.slice(0, maxCompletions))
  const hasMore = proposals.length > maxCompletions
  return { members: `"completion":{"values":${values},"total":${proposals.length},"hasMore":${hasMore}}` }
}

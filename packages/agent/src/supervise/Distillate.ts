/**
 * What a parent gets to see of the work of a child: its answer and nothing of the way to it, at most 8,000 bytes.
 */
import type { Json } from "@treadle/protocol/json"
import { cutBytes } from "../Text.ts"
import type { ChildOutcome } from "./ChildRunner.ts"

/** Bytes of one distillate. */
const longest = 8_000

const marker = "… [truncated]"

/** The answer, or the last text; a value that is too long goes as the beginning of its JSON. */
export const distilled = ({ answer, text }: ChildOutcome): Json => {
  const value: Json = answer === undefined ? (text === "" ? null : text) : answer
  const whole = typeof value === "string" ? value : JSON.stringify(value)
  const cut = cutBytes(whole, longest, marker)
  return cut === whole ? value : cut
}

/**
 * Shortening a transcript that grows beyond what a model can read: the older part is summed up in one message. It never
 * leaves a call without its result, nor an answer of the model at the front.
 */
import type * as Prompt from "effect/ai/Prompt"
import { cutText } from "../Text.ts"

/** How full the window may be before the transcript is shortened. */
const fullness = 0.7

/** How much of that may stay, so that it is not shortened again at once. */
const kept = 0.5

/** Messages at the end that stay as they are, where they fit; the last round stays in any case. */
const keep = 12
const keepAnyway = 2

/** Characters of one message that the summary is made of. */
const clip = 2_000

/** Characters of a summary. */
const longestSummary = 8_000

/** Stands before a summary. */
const summaryHead = "[What happened so far, summed up]"

/** What is to be summed up. */
export interface CompactionPlan {
  /** The first message that stays. */
  readonly until: number
  /** What the run was last asked for in the part that goes. */
  readonly task: string
  /** The part that goes, as text. */
  readonly text: string
}

const partText = (part: Prompt.Part): string => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text
    case "tool-call":
      return `calls ${part.name} with ${JSON.stringify(part.params) ?? ""}`
    case "tool-result":
      return `${part.name} ${part.isFailure ? "failed" : "gave"}: ${typeof part.result === "string" ? part.result : (JSON.stringify(part.result) ?? "")}`
    default:
      return `[${part.type}]`
  }
}

const textOf = ({ content }: Prompt.Message): string =>
  typeof content === "string" ? content : content.map(partText).join("\n")

/** Whether a part of the transcript may begin here: a result belongs to the message before it. */
const mayBegin = (message: Prompt.Message | undefined): boolean => message !== undefined && message.role !== "tool"

const sumOf = (sizes: ReadonlyArray<number>): number => sizes.reduce((sum, size) => sum + size, 0)

/** The first message that stays, where this many are wanted. */
const startFor = (messages: ReadonlyArray<Prompt.Message>, wanted: number): number => {
  let until = messages.length - wanted
  while (until > 0 && !mayBegin(messages[until])) until--
  return until
}

/** A message that may be a summary itself, as its task and what was summed up. */
const taskAndSummary = (message: Prompt.Message | undefined): readonly [task: string, summary: string | undefined] => {
  const text = message === undefined ? "" : textOf(message)
  const at = text.indexOf(summaryHead)
  return at < 0 ? [text, undefined] : [text.slice(0, at).trimEnd(), text.slice(at + summaryHead.length).trimStart()]
}

/** One message for the summary. What was summed up before stays whole. */
const line = (message: Prompt.Message): string => {
  const [text, summary] = taskAndSummary(message)
  return summary ?? `${message.role}: ${cutText(text, clip, "…")}`
}

/**
 * What to shorten.
 *
 * @param sizes tokens of each message
 * @param window tokens that the model can read
 * @returns nothing while there is room, or where nothing can go
 */
export const planCompaction = (
  messages: ReadonlyArray<Prompt.Message>,
  sizes: ReadonlyArray<number>,
  window: number
): CompactionPlan | undefined => {
  const full = window * fullness
  if (sumOf(sizes) <= full) return undefined
  let wanted = keep
  while (wanted > keepAnyway && sumOf(sizes.slice(startFor(messages, wanted))) > full * kept) wanted--
  const until = startFor(messages, wanted)
  if (until < 2) return undefined
  const gone = messages.slice(0, until)
  return {
    until,
    task: taskAndSummary(gone.findLast(({ role }) => role === "user"))[0],
    text: gone.map(line).join("\n\n")
  }
}

/** What the model is asked for, when a transcript is summed up. */
export const summaryRequest =
  "Sum up this transcript of your own work for yourself, so that you can go on without it. Say what the goals are, " +
  "what was decided, which facts were found (with names, numbers and addresses as they are), and what is still open. " +
  "Be short, and add nothing."

/** The message that stands for the part that went. */
export const summaryMessage = ({ task }: CompactionPlan, summary: string): string =>
  [...(task === "" ? [] : [task]), `${summaryHead}\n${cutText(summary, longestSummary, "… [truncated]")}`].join("\n\n")

/** A summary without a model, where none could be had: what was called, in order. */
export const plainSummary = ({ text }: CompactionPlan): string => cutText(text, longestSummary, "… [truncated]")

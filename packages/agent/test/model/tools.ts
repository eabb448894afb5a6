/** Tools and conversations of the tests of models, and the form in which the loop of an agent calls a model. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Part from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"

export const search = Tool.make("kb.search", {
  description: "Searches the knowledge base",
  parameters: Schema.Struct({ query: Schema.String }),
  success: Schema.String
})

/** A tool whose schema came from a server. */
export const read = Tool.dynamic("read", {
  description: "Reads a page",
  parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] }
})

export const noArguments = Tool.make("now")

export const toolkit = Toolkit.make(search, read, noArguments)

/** As the loop calls it: the model's calls come back as they are. */
export const turn = (prompt: Prompt.RawInput) =>
  LanguageModel.generateText({
    prompt,
    toolkit,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })

export const streamTurn = (prompt: Prompt.RawInput) =>
  LanguageModel.streamText({
    prompt,
    toolkit,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })

/** A conversation with two calls in one turn, of which one failed. */
export const conversation: ReadonlyArray<Prompt.MessageEncoded> = [
  { role: "system", content: "You know the rules." },
  { role: "user", content: "Which rule is 7?" },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "I should look." },
      { type: "text", text: "Let me look." },
      { type: "tool-call", id: "call_1", name: "kb.search", params: { query: "rule 7" } },
      { type: "tool-call", id: "call_2", name: "read", params: { page: 7 } }
    ]
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", id: "call_1", name: "kb.search", isFailure: false, result: { hits: ["Rule 7"] } },
      { type: "tool-result", id: "call_2", name: "read", isFailure: true, result: "no page 7" }
    ]
  },
  { role: "user", content: "And now?" }
]

/** The JSON of the first request. */
export const firstBody = (service: { readonly seen: { readonly events: ReadonlyArray<{ readonly json: any }> } }) =>
  Effect.sync(() => service.seen.events[0]!.json)

/** Parts without what effect/ai adds to each. */
export const bare = (parts: ReadonlyArray<Part.AnyPart | Part.StreamPart<{}>>) =>
  parts.map((part) => Object.fromEntries(Object.entries(part).filter(([key]) => !key.startsWith("~"))))

/** A response with a stream of events that comes in these pieces. */
export const eventsOf = (cut: ReadonlyArray<Uint8Array>): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const bytes of cut) if (bytes.length > 0) controller.enqueue(bytes)
        controller.close()
      }
    }),
    { headers: { "content-type": "text/event-stream" } }
  )

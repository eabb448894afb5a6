/**
 * Tools that ask the client, natively in rounds and in a session on the stream of the call. The suite asserts the keys and
 * the methods of the questions; each tool is written once for both eras.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask, CurrentCall, Mcp, type FormAnswer } from "@treadle/server"
import type { CreateMessageRequest, CreateMessageResult } from "@treadle/protocol/schema"

const userText = (text: string): CreateMessageRequest["messages"][number] => ({
  role: "user",
  content: { type: "text", text }
})

const prompted = (text: string) => Ask.sample({ messages: [userText(text)], maxTokens: 100 })

const textOf = ({ content }: CreateMessageResult): string => {
  const first = [content].flat()[0]
  return first?.type === "text" && typeof first.text === "string" ? first.text : JSON.stringify(content)
}

const name = Ask.form({ message: "What is your name?", fields: { name: Schema.String } })
const color = Ask.form({ message: "What is your favorite color?", fields: { color: Schema.String } })
const confirm = Ask.form({ message: "Please confirm", fields: { ok: Schema.Boolean } })
const capital = prompted("What is the capital of France?")

const greeting = (answer: FormAnswer<{ readonly name: string }>): string =>
  answer.action === "accept" ? `Hello, ${answer.content.name}!` : `No name was given (${answer.action}).`

const completed = (answer: { readonly action: string; readonly content?: unknown }): string =>
  `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`

const defaults = Ask.form({
  message: "Please review the defaults",
  fields: {
    name: Schema.String.annotate({ default: "John Doe" }),
    age: Schema.Int.annotate({ default: 30 }),
    score: Schema.Finite.annotate({ default: 95.5 }),
    status: Schema.Literals(["active", "inactive", "pending"]).annotate({ default: "active" }),
    verified: Schema.Boolean.annotate({ default: true })
  }
})

const options = ["option1", "option2", "option3"]
const titles = options.map((_, index) => ({ const: `value${index + 1}`, title: `Option ${index + 1}` }))

/** Written as the wire has it: `enumNames` is deprecated and no schema of ours makes it. */
const enums = Ask.elicit({
  message: "Please choose",
  requestedSchema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titles },
      legacyEnum: { type: "string", enum: options, enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titles } }
    }
  }
})

const all = { concurrency: "unbounded" } as const

/** A person where the client can ask one, else its model. */
const either = Effect.catch(Effect.map(CurrentCall.ask("name", name), greeting), () =>
  Effect.map(CurrentCall.ask("capital", capital), textOf)
)

const rounds = Mcp.make({ name: "tools that ask", version: "1.0.0" })
  .tool("test_input_required_result_elicitation", { description: "Asks for a name" }, () =>
    Effect.map(CurrentCall.ask("user_name", name), greeting)
  )
  .tool("test_input_required_result_sampling", { description: "Asks a model" }, () =>
    Effect.map(CurrentCall.ask("capital_question", capital), textOf)
  )
  .tool("test_input_required_result_list_roots", { description: "Asks for folders" }, () =>
    Effect.map(CurrentCall.ask("client_roots", Ask.roots()), ({ roots }) =>
      roots.map((root) => `${root.name ?? "a folder"}: ${root.uri}`).join("\n")
    )
  )
  .tool("test_input_required_result_request_state", { description: "Remembers a round" }, () =>
    Effect.as(CurrentCall.ask("confirm", confirm), "state-ok")
  )
  .tool("test_input_required_result_tampered_state", { description: "Guards its state" }, () =>
    Effect.as(CurrentCall.ask("confirm", confirm), "The state was not tampered with.")
  )
  .tool("test_input_required_result_multiple_inputs", { description: "Asks three ways at once" }, () =>
    Effect.map(
      Effect.all(
        [
          CurrentCall.ask("user_name", name),
          CurrentCall.ask("capital_question", capital),
          CurrentCall.ask("client_roots", Ask.roots())
        ],
        all
      ),
      ([person, model, { roots }]) => `${greeting(person)} ${textOf(model)} ${roots.length} folders.`
    )
  )
  .tool("test_input_required_result_multi_round", { description: "Asks twice" }, () =>
    Effect.gen(function* () {
      const first = yield* CurrentCall.ask("step1", name)
      const second = yield* CurrentCall.ask("step2", color)
      return `${greeting(first)} Color: ${second.action}.`
    })
  )
  .tool("test_input_required_result_capabilities", { description: "Asks what the client can be asked" }, () => either)
  .tool("test_missing_capability", { description: "Needs sampling" }, () =>
    Effect.map(CurrentCall.ask("capital_question", capital), textOf)
  )
  .tool("test_streaming_elicitation", { description: "Asks for a name" }, () =>
    Effect.map(CurrentCall.ask("user_name", name), greeting)
  )

export const askingTools = rounds
  .tool("test_sampling", { description: "Asks a model", input: { prompt: Schema.String } }, ({ prompt }) =>
    Effect.map(CurrentCall.ask("model", prompted(prompt)), (answer) => `LLM response: ${textOf(answer)}`)
  )
  .tool("test_elicitation", { description: "Asks a person", input: { message: Schema.String } }, ({ message }) =>
    Effect.map(
      CurrentCall.ask("person", Ask.form({ message, fields: { username: Schema.String, email: Schema.String } })),
      (answer) => `User response: ${JSON.stringify(answer)}`
    )
  )
  .tool("test_elicitation_sep1034_defaults", { description: "Offers defaults" }, () =>
    Effect.map(CurrentCall.ask("defaults", defaults), completed)
  )
  .tool("test_elicitation_sep1330_enums", { description: "Offers choices" }, () =>
    Effect.map(CurrentCall.ask("enums", enums), completed)
  )

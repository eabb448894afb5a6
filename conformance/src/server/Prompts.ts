/**
 * Prompts: of text, with arguments, with a resource and with an image. The suite asserts their names and what they say,
 * and completes an argument of the second.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask, Content, CurrentCall, Mcp, Prompt } from "@treadle/server"
import { png } from "./ContentTools.ts"

const context = Ask.form({ message: "What context should the prompt have?", fields: { context: Schema.String } })

const first = ["test one", "test two", "another"]

export const prompts = Mcp.make({ name: "prompts", version: "1.0.0" })
  .prompt("test_simple_prompt", { description: "Says one sentence" }, () =>
    Effect.succeed("This is a simple prompt for testing.")
  )
  .prompt("test_input_required_result_prompt", { description: "Asks for its context" }, () =>
    Effect.map(CurrentCall.ask("user_context", context), (answer) =>
      answer.action === "accept" ? `The context: ${answer.content.context}` : "No context was given."
    )
  )
  .prompt(
    "test_prompt_with_arguments",
    {
      description: "Repeats its arguments",
      arguments: {
        arg1: Schema.String.annotate({ description: "The first argument" }),
        arg2: Schema.String.annotate({ description: "The second argument" })
      },
      complete: { arg1: (typed) => first.filter((value) => value.startsWith(typed)) }
    },
    ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  )
  .prompt(
    "test_prompt_with_embedded_resource",
    {
      description: "Shows a resource",
      arguments: { resourceUri: Schema.String.annotate({ description: "The URI of the resource" }) }
    },
    ({ resourceUri }) =>
      Effect.succeed([
        Prompt.user(
          Content.resource({
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing."
          })
        ),
        Prompt.user("Please process the embedded resource above.")
      ])
  )
  .prompt("test_prompt_with_image", { description: "Shows an image" }, () =>
    Effect.succeed([Prompt.user(Content.image(png, "image/png")), Prompt.user("Please analyze the image above.")])
  )

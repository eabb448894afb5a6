/**
 * Tools that return each kind of content, fail, and report on themselves while they run. The suite asserts their names
 * and the shape of what they return; none of them takes arguments.
 */
import * as Effect from "effect/Effect"
import { Content, CurrentCall, Mcp, Reply, ToolFailed } from "@treadle/server"

/** One transparent pixel. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
/** One silent sample. */
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="

const image = Content.image(png, "image/png")

const embedded = Content.resource({
  uri: "test://embedded-resource",
  mimeType: "text/plain",
  text: "This is an embedded resource content."
})

const mixed = Content.resource({
  uri: "test://mixed-content-resource",
  mimeType: "application/json",
  text: JSON.stringify({ test: "data", value: 123 })
})

const moment = Effect.sleep("50 millis")

const withProgress = Effect.gen(function* () {
  yield* CurrentCall.progress(0, 100)
  yield* moment
  yield* CurrentCall.progress(50, 100)
  yield* moment
  yield* CurrentCall.progress(100, 100)
  return "Progress was reported three times."
})

const withLogging = Effect.gen(function* () {
  yield* CurrentCall.log("info", "Tool execution started")
  yield* moment
  yield* CurrentCall.log("info", "Tool processing data")
  yield* moment
  yield* CurrentCall.log("info", "Tool execution completed")
  return "Three messages were logged."
})

const withPause = Effect.gen(function* () {
  yield* CurrentCall.pause(200)
  yield* moment
  return "The client came back for this."
})

export const contentTools = Mcp.make({ name: "content tools", version: "1.0.0" })
  .tool("test_simple_text", { description: "Returns text" }, () =>
    Effect.succeed("This is a simple text response for testing.")
  )
  .tool("test_image_content", { description: "Returns an image" }, () => Effect.succeed(Reply.text(image)))
  .tool("test_audio_content", { description: "Returns a sound" }, () =>
    Effect.succeed(Reply.text(Content.audio(wav, "audio/wav")))
  )
  .tool("test_embedded_resource", { description: "Returns a resource with its contents" }, () =>
    Effect.succeed(Reply.text(embedded))
  )
  .tool("test_multiple_content_types", { description: "Returns text, an image and a resource" }, () =>
    Effect.succeed(Reply.text(Content.text("Multiple content types test:"), image, mixed))
  )
  .tool("test_error_handling", { description: "Always fails" }, () =>
    Effect.fail(new ToolFailed("This tool intentionally returns an error for testing"))
  )
  .tool("test_tool_with_progress", { description: "Reports progress where it is asked for" }, () => withProgress)
  .tool("test_tool_with_logging", { description: "Logs three messages" }, () => withLogging)
  .tool("test_logging_tool", { description: "Logs one message" }, () =>
    Effect.as(CurrentCall.log("info", "A message of this request"), "One message was logged.")
  )
  .tool("test_reconnection", { description: "Closes its connection while it runs" }, () => withPause)

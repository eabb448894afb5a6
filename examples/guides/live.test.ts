/** What the page on live changes says. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { connect } from "@treadle/client/promise"
import { ClientRequest } from "@treadle/protocol/schema"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { learning } from "./learning.ts"
import { door, season } from "./phrases.ts"
import { application, Languages } from "./watcher.ts"

const settings = (fetch: (request: Request) => Promise<Response>) => ({
  fetch: (request: Request) => fetch(request),
  headers: { host: "localhost" }
})

const texts = ({ content }: { readonly content: ReadonlyArray<object> }) =>
  content.map((block) => ("text" in block ? block.text : block))

describe("the guide to live changes", () => {
  it("adds, replaces and removes by the handle of a door", async () => {
    assert.deepStrictEqual(await season(), {
      tools: ["greet_in_german"],
      operations: [],
      prompts: [],
      resources: ["phrases://german"],
      templates: []
    })
    await using client = await connect("http://localhost/mcp", settings(door))
    assert.deepStrictEqual(
      (await client.listTools()).map(({ name }) => name),
      ["greet_in_french"]
    )
    assert.deepStrictEqual(texts(await client.callTool("greet_in_french", {})), ["Salut"])
    await door.close()
  })

  it.effect("learns from a call, and tells the model what is wrong with a name", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(learning)
      const learn = (language: string) => session.callTool("learn", { language, hello: "Hei" })
      assert.deepStrictEqual(texts(yield* learn("norwegian")), ["I greet in norwegian now."])
      assert.deepStrictEqual(texts(yield* session.callTool("greet_in_norwegian", {})), ["Hei"])
      const read = yield* session.request(ClientRequest.readResource("phrases://norwegian"))
      assert.deepInclude(read.contents[0], { text: "- Hei" })
      const wrong = yield* learn("low german")
      assert.isTrue(wrong.isError)
      assert.include(texts(wrong).join(), 'MCP server "learning" cannot be changed, for 2 reasons')
    })
  )

  it.effect("is changed by a fiber of its application", () =>
    Effect.gen(function* () {
      const [queue, asked] = [
        yield* Queue.unbounded<{ language: string; hello: string }>(),
        yield* Deferred.make<void>()
      ]
      let taken = 0
      const next = Effect.suspend(() =>
        Effect.andThen(++taken === 2 ? Deferred.succeed(asked, undefined) : Effect.void, Queue.take(queue))
      )
      const languages = Layer.succeed(Languages, { next })
      const layer = Layer.provide(application, [languages, HttpServer.layerServices])
      const { handler } = yield* Effect.acquireRelease(
        Effect.sync(() => HttpRouter.toWebHandler(layer, { disableLogger: true })),
        ({ dispose }) => Effect.promise(dispose)
      )
      yield* Queue.offer(queue, { language: "finnish", hello: "Moi" })
      const client = yield* Effect.acquireRelease(
        Effect.promise(() =>
          connect(
            "http://localhost/mcp",
            settings((request) => handler(request))
          )
        ),
        (client) => Effect.promise(() => client.close())
      )
      yield* Deferred.await(asked)
      const greeted = yield* Effect.promise(() => client.callTool("greet_in_finnish", {}))
      assert.deepStrictEqual(texts(greeted), ["Moi"])
    })
  )
})

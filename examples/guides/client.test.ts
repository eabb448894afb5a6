/** The client's pages do what they say. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { connect } from "@treadle/client/promise"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Change } from "@treadle/server"
import { boxOffice } from "../box-office/server.ts"
import { desk } from "./asking.ts"
import { careful } from "./client-settings.ts"
import { book } from "./desk-client.ts"
import { follow } from "./phrase-watcher.ts"
import { phrasebook, phrases } from "./phrases.ts"
import { seat } from "./progress-client.ts"
import { versions } from "./watching.ts"

const closing = <D extends { close: () => Promise<void> }>(open: () => Promise<D>) =>
  Effect.acquireRelease(Effect.promise(open), (door) => Effect.promise(() => door.close()))

describe("a client", () => {
  it("answers the questions of a desk, and the form gives the rest", async () => {
    await using door = await McpNode.listen(desk)
    assert.match(await book(door.url, "Evening bill"), /^Reservation \d+: 2 seats for Evening bill$/)
  })

  it("is asked in process too", async () => {
    const answers = { form: () => ({ action: "accept", content: { seats: 5 } }) as const }
    await using client = await connect(desk, {}, { answers })
    const { content } = await client.callTool("book", { show: "Late bill" })
    assert.match(JSON.stringify(content), /5 seats for Late bill/)
  })

  it("follows what a server serves", async () => {
    await using door = await McpNode.listen(phrases)
    await door.live.add(phrasebook("french", "Bonjour"))
    const client = await connect(door.url)
    const shown: Array<string> = []
    const heard = new Map<string, () => void>()
    const seen = (text: string) => new Promise<void>((resolve) => heard.set(text, resolve))
    const first = seen("greet_in_french")
    const following = follow(client, (names) => {
      shown.push(names.join())
      heard.get(names.join())?.()
    })
    await first
    const second = seen("greet_in_french,greet_in_german")
    await door.live.add(phrasebook("german", "Hallo"))
    await second
    const third = seen("phrases://french")
    await door.live.changed(Change.resource("phrases://french"))
    await third
    await client.close()
    await following
    assert.deepStrictEqual(shown, ["greet_in_french", "greet_in_french,greet_in_german", "phrases://french"])
  })

  it.live("reads every version of a resource", () =>
    Effect.gen(function* () {
      const door = yield* closing(() => McpNode.listen(phrases))
      yield* Effect.promise(() => door.live.add(phrasebook("french", "Bonjour")))
      const session = yield* McpClient.http(door.url)
      const texts: Array<unknown> = []
      yield* versions(session, "phrases://french").pipe(
        Stream.take(2),
        Stream.runForEach(({ contents }) => {
          texts.push(contents[0])
          return Effect.promise(() => door.live.replace(phrasebook("french", "Salut")))
        })
      )
      assert.deepInclude(texts[0], { text: "- Bonjour" })
      assert.deepInclude(texts[1], { text: "- Salut" })
    })
  )

  it("gives a call time for as long as it gets on", async () => {
    await using door = await McpNode.listen(boxOffice)
    const { seats } = await seat(door.url, ["Ada", "Grace"], AbortSignal.timeout(10_000))
    assert.strictEqual(seats.length, 2)
  })

  it.live("takes the settings of its page", () =>
    Effect.gen(function* () {
      const door = yield* closing(() => McpNode.listen(boxOffice))
      const session = yield* careful(door.url, async () => "secret")
      assert.strictEqual((yield* session.listTools()).length, 5)
    })
  )
})

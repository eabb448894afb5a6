/** The box office over plain HTTP, and its page as a person uses it, in Chromium. */
import { assert, describe, it, layer } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import * as Effect from "effect/Effect"
import { Chromium, chromiumPath } from "../protected-box-office/chromium.ts"
import { getShow, seatTheParty } from "./contract.ts"
import { listen } from "./web.ts"

const serving = Effect.acquireRelease(
  Effect.promise(() => listen(0)),
  ({ close }) => Effect.promise(close)
)

const asked = (url: string, body?: unknown) =>
  Effect.promise(async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const response = await fetch(url, body === undefined ? undefined : init)
    return [response.status, await response.json()] as const
  })

describe("the box office over plain HTTP", () => {
  it.live("is the one that tools have: seats that one takes are gone for the other", () =>
    Effect.gen(function* () {
      const { shows, url } = yield* serving
      const session = yield* McpClient.http(url)
      assert.deepStrictEqual(yield* asked(`${shows}/1`), [200, { id: 1, title: "Evening bill", remaining: 12 }])
      assert.deepStrictEqual(yield* asked(`${shows}/1/party`, { guests: ["Ada"] }), [
        200,
        { seats: ["Ada: row A, seat 1"] }
      ])
      assert.strictEqual((yield* session.call(getShow)({ id: 1 })).remaining, 11)
      assert.deepStrictEqual(yield* asked(shows.replace("/shows", "/seats")), [200, 13])
      yield* session.call(seatTheParty)({ id: 1, guests: ["Grace"] })
      assert.deepStrictEqual(yield* asked(`${shows}?search=Evening`), [
        200,
        [{ id: 1, title: "Evening bill", remaining: 10 }]
      ])
    })
  )

  it.live("says what can go wrong by status, with the errors of the contract", () =>
    Effect.gen(function* () {
      const { shows } = yield* serving
      assert.deepStrictEqual(yield* asked(`${shows}/9`), [404, { _tag: "ShowNotFound", id: 9 }])
      const guests = ["Ada", "Grace", "Edsger"]
      assert.deepStrictEqual(yield* asked(`${shows}/2/party`, { guests }), [
        409,
        { _tag: "SoldOut", id: 2, remaining: 2 }
      ])
      assert.strictEqual((yield* asked(`${shows}/2/party`, { guests: "Ada" }))[0], 400)
    })
  )
})

describe.skipIf(chromiumPath === undefined)("its page", () => {
  layer(Chromium.layer, { excludeTestServices: true })("in Chromium", (it) => {
    it.effect(
      "tells of every operation, and runs one that a person tries",
      () =>
        Effect.gen(function* () {
          const { docs } = yield* serving
          const browser = yield* Chromium
          const page = yield* Effect.acquireRelease(
            Effect.promise(() => browser.newPage()),
            (opened) => Effect.promise(() => opened.close())
          )
          const strangers: Array<string> = []
          page.on("request", (request) => {
            if (!request.url().startsWith(new URL(docs).origin) && !request.url().startsWith("data:")) {
              strangers.push(request.url())
            }
          })
          yield* Effect.promise(async () => {
            await page.goto(docs)
            assert.include(await page.title(), "Box office")
            for (const text of ["Tonight's shows, with the seats that are left", "One show by its number"]) {
              await page.getByText(text).first().waitFor()
            }
            await page.locator("#operations-shows-get_show .opblock-summary-control").click()
            await page.getByRole("button", { name: "Try it out" }).click()
            await page.getByPlaceholder("id").fill("2")
            await page.getByRole("button", { name: "Execute" }).click()
            const reply = page.locator(".live-responses-table .response .response-col_description")
            await reply.getByText("Late bill").waitFor()
            assert.include(await reply.innerText(), '"remaining": 2')
          })
          assert.deepStrictEqual(strangers, [])
        }),
      60_000
    )
  })
})

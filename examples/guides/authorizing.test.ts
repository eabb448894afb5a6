/** What the page on authorizing clients says. */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "@treadle/client/promise"
import { OAuth } from "@treadle/oauth"
import { StaticBearer } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { makeAuthPerson, scriptedAuth } from "@treadle/testing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { keychainStore, pasting, vault } from "./authorizing.ts"
import { weather } from "./weather.ts"

const redirect = "http://127.0.0.1:49152/callback"

/** A person who opens the page of a question, and answers with where they ended. */
const pastes = (change: (end: URL) => void = () => {}) => {
  const person = makeAuthPerson()
  const ask = async (question: string) => {
    const page = new URL(/http\S+/.exec(question)?.[0] ?? "")
    const end = new URL(`${redirect}?${(await person.open(page)).toString()}`)
    change(end)
    return end.href
  }
  return { person, browser: pasting(ask) }
}

const keychainOf = (kept: Map<string, string>) => ({
  get: async (key: string) => kept.get(key),
  set: async (key: string, value: string) => void kept.set(key, value),
  delete: async (key: string) => kept.delete(key)
})

const use = (url: string, auth: ReturnType<typeof OAuth.browser>) =>
  Effect.promise(async () => {
    await using client = await connect(url, { auth })
    return (await client.callTool("look", {})).isError ?? false
  })

describe("a client that is authorized", () => {
  it.live("by a person who pastes where the login ended, with a keychain that keeps it", () =>
    Effect.gen(function* () {
      const scripted = yield* scriptedAuth()
      const { browser, person } = pastes()
      const kept = new Map<string, string>()
      const settings = { clientName: "Desk", store: keychainStore(keychainOf(kept)) }
      const auth = OAuth.browser({ ...settings, browser })
      assert.isFalse(yield* use(scripted.mcp.url, auth))
      assert.isFalse(yield* use(scripted.mcp.url, OAuth.browser(settings)))
      assert.strictEqual(person.pages.length, 1)
      assert.deepStrictEqual(scripted.faults, [])
      assert.isTrue(yield* auth.logout(scripted.mcp.url))
      assert.isFalse(yield* auth.logout(scripted.mcp.url))
      assert.isFalse([...kept.keys()].some((key) => key.includes("grant")))
    })
  )

  it.live("not by where another login ended", () =>
    Effect.gen(function* () {
      const scripted = yield* scriptedAuth()
      const { browser } = pastes((end) => end.searchParams.set("state", "another"))
      const auth = OAuth.browser({ clientName: "Desk", browser })
      const error = yield* Effect.flip(auth.login(scripted.mcp.url))
      assert.include(error.message, "what was pasted is not where this login ended; log in again")
    })
  )

  it.live("not where its keychain is locked", () =>
    Effect.gen(function* () {
      const locked = async () => Promise.reject(new Error("secret"))
      const store = keychainStore({ get: locked, set: locked, delete: locked })
      const error = yield* Effect.flip(store.write("key", Redacted.make("value")))
      assert.strictEqual(error.message, "the token store failed: the keychain is locked; unlock it")
    })
  )

  it("by a vault, which is asked for a new token once where the first is refused", async () => {
    await using door = await McpNode.listen(weather, { auth: StaticBearer.make({ tokens: { job: "new" } }) })
    const asked: Array<boolean> = []
    let current = "old"
    const auth = vault(async (fresh) => {
      asked.push(fresh)
      if (fresh) current = "new"
      return current
    })
    await using client = await connect(door.url, { auth })
    assert.strictEqual((await client.listTools()).length, 1)
    assert.deepStrictEqual(asked.slice(0, 3), [false, true, false])
    assert.isFalse(asked.slice(3).includes(true))
    const asking: Array<boolean> = []
    const same = vault(async (fresh) => {
      asking.push(fresh)
      return "old"
    })
    const hopeless = await connect(door.url, { auth: same }).catch((error: Error) => error)
    assert.match(String(hopeless), /another token than it was shown \(HTTP 401\); log in again$/)
    assert.deepStrictEqual(asking, [false, true])
  })
})

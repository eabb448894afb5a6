/**
 * The pages about agents as servers: served, driven, and given to another agent.
 */
import { McpClient } from "@treadle/client"
import { Agent, AgentMcp, SecretStore } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, test } from "vitest"
import { reviewed } from "./driving.ts"
import { releases } from "./releases.ts"
import { search } from "./rules.ts"
import { serveReviewer } from "./served-agent.ts"

const secret = "5c9e0f4d7a1b2c3d4e5f60718293a4b5"

const model = () => AgentTest.script(AgentTest.call(search, { query: "force push" }), AgentTest.say("Rule 7"))

test("a program drives a served agent, in both eras", async () => {
  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    await using served = await serveReviewer(model(), secret)
    const headers = { authorization: `Bearer ${secret}` }
    const result = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(McpClient.http(served.url, { headers, revision }), (session) => reviewed(session, "Review PR 7"))
      )
    )
    expect(result).toBe("Rule 7")
  }
})

test("a served agent is a server of another agent, by its address", async () => {
  await using served = await serveReviewer(model(), secret)
  const script = AgentTest.script(
    AgentTest.call(AgentMcp.spawn, { instruction: "Review PR 7" }, { server: "reviewer" }),
    (seen) => AgentTest.say(String(seen.last(AgentMcp.spawn)?.result))
  )
  const secrets = SecretStore.layerNames({ REVIEWER: secret })
  const outcome = await Effect.runPromise(
    Agent.run(releases(served.url), "Prepare 2.0").pipe(Effect.provide(Layer.merge(script, secrets)))
  )
  expect(outcome.text).toBe("Rule 7")
})

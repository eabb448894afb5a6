/**
 * Wrong programs. None of them compiles; `types.test.ts` pins what a newcomer reads.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import type { McpSession } from "@treadle/client"
import { connect } from "@treadle/client/promise"
import { CurrentCall, Endpoint, Live, Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import { HttpApiTools } from "@treadle/server/http-api"
import { getShow, hold, list, ping, zod } from "./right.ts"
import { BoxApi, tools } from "./rightApi.ts"
const m = Mcp.make({ name: "x", version: "1" })
/* W1 */ Endpoint.make("get show", { description: "x" })
/* W2 */ Endpoint.make("ok", { description: "x", input: { id: Schema.Int }, http: "GET /shows/:idd" })
/* W3 */ m.tool(getShow, async ({ id }) => ({ id, name: "x" }))
/* W4 */ m.tool(getShow, ({ id }) => Effect.succeed({ id, title: "x", remaining: "3" }))
/* W5 */ m.tool(getShow, () => Effect.fail(new Error("x")))
/* W6 */ m.tool(getShow, async ({ idd }) => ({ id: 1, title: "x", remaining: 1 }))
/* W7 */ m.tool(getShow, async ({ id }, { fail }) => fail(new RangeError("boom")))
declare const s: McpSession
/* W8 */ s.call(getShow)({ id: "1" })
/* W9 */ s.call(getShow)()
/* W10 */ m.tool(hold, async ({ show }, { fail }) => fail({ _tag: "Soldout", left: show }))
/* W11 */ m.tool("x", { description: "x", output: z.object({ n: z.number() }) }, async () => ({ n: "1" }))
/* W12 */ s.call(list)({ limit: "3" })
/* W30 */ m.template({ uriTemplate: "x://{id}", name: "x", complete: { idd: () => [] } }, async () => "x")
/* W31 */ m.template({ uriTemplate: "x://{id}", name: "x", variables: { idd: Schema.String } }, async () => "x")
const ctx = Mcp.make<{ user: string }>({ name: "x", version: "1" }).tool(ping, async (_, { context }) => context.user)
/* W13 */ McpNode.handler(ctx)({} as any, {} as any)
/* W14 */ connect(ctx)
/* W15 */ McpHttp.fetch(m.tool(getShow, () => Effect.flatMap(Shows, (x) => x.get(1))))
/* W16 */ Endpoint.make("ok", { description: "x", http: "get /shows" })
/* W17 */ Endpoint.make("ok", { description: "x", input: Schema.String })
/* W18 */ m.tool(zod, async ({ n }) => ({ ok: "yes" }))
/* W19 */ m.tool("bad name", { description: "x" }, async () => "x")
import * as Context from "effect/Context"
class Shows extends Context.Service<
  Shows,
  { get(id: number): Effect.Effect<{ id: number; title: string; remaining: number }> }
>()("Shows") {}
/* W32 */ m.tool("x", { description: "x" }, () => "text")
/* W33 */ m.tool(getShow, ({ id }) => ({ id, title: "x", remaining: 3 }))
/* W34 */ m.resource({ uri: "x://a", name: "x" }, () => "text")
/* W35 */ m.prompt("x", { description: "x" }, () => "text")
/* W36 */ m.tool(ping, async () => ({ ok: true }))
/* W37 */ m.tool("x", { description: "x" }, () => Effect.succeed(7))
/* W20 */ McpHttp.fetch(m).live.add(ctx)
/* W21 */ McpHttp.fetch(m).live.replace(m.tool(getShow, () => Effect.flatMap(Shows, (x) => x.get(1))))
/* W22 */ McpHttp.fetch(ctx).live.add(Mcp.make<{ role: string }>({ name: "x", version: "1" }))
/* W23 */ Live.add(ctx)
/* W24 */ m.tool(ping, () => Effect.asVoid(Live.remove({ tools: ["x"] })))
/* W25 */ McpHttp.fetch(m).live.remove({ tool: ["x"] })
/* W26 */ m.tool(ping, async (_, { step }) => void (await step("at", async () => ({ at: new Date() }))))
/* W27 */ m.tool(ping, () => Effect.asVoid(CurrentCall.step("found", Effect.succeed(new Map([["a", 1]])))))
/* W28 */ m.tool(ping, async (_, { step }) => void (await step("list", () => ["a", undefined])))
/* W38 */ McpHttp.fetch(m, { auth: "secret" })
import { connectStdio, McpNodeClient } from "@treadle/client/node"
import { NodeOAuth } from "@treadle/oauth/node"
const auth = NodeOAuth.browser({ clientName: "x" })
/* W39 */ connectStdio({ command: "x", auth })
/* W40 */ McpNodeClient.stdio({ command: "x", auth })
/* W41 */ connect(m, {}, { auth })
/* W42 */ HttpApiTools.make(BoxApi, { get_show: "shows.gett" })
/* W43 */ HttpApiTools.make(BoxApi, { get_show: { operation: "shows.gett", description: "x" } })
/* W44 */ s.call(tools.contract.get_show)({ id: "1" })
/* W45 */ McpNode.handler(m.add(tools.mcp))
/* W46 */ HttpApiTools.make(BoxApi, { get_show: { operation: "shows.get", hint: { readOnly: true } } })
/* W59 */ HttpApiTools.make(BoxApi, { get_show: { operation: "shows.get", descripton: "One bill" } })
/* W47 */ m.operation(getShow, async ({ id }) => ({ id, name: "x" }))
/* W48 */ m.operation(ping, async () => ({ ok: true }))
/* W49 */ McpNode.handler(m.operation(getShow, () => Effect.flatMap(Shows, (x) => x.get(1))).catalog())
/* W50 */ m.catalog({ allow: "create_hold" })
/* W51 */ m.catalog({ allow: ({ name }) => name })
/* W52 */ m.catalog({ allowed: ["create_hold"] })
import { HttpRoutes } from "@treadle/server/http-api"
import { McpRouter } from "@treadle/server/http-router"
/* W53 */ Endpoint.make("ok", { description: "x", input: Schema.Struct({ id: Schema.Int }), http: "GET /:fields" })
/* W54 */ Endpoint.make("ok", { description: "x", input: z.object({ id: z.int() }), http: "PUT /halls/:id/rows/:row" })
/* W55 */ Endpoint.make("ok", { description: "x", http: "HEAD /shows" })
/* W56 */ HttpRoutes.fetch(m.tool(getShow, () => Effect.flatMap(Shows, (x) => x.get(1))))
/* W57 */ HttpRoutes.layer(m, { docs: "docs" })
/* W58 */ Effect.map(HttpRoutes.client({ getShow }, { baseUrl: "x" }), (box) => box.getShow({ id: "1" }))
import { Agent, Server } from "@treadle/agent"
import { converse, runAgent } from "@treadle/agent/promise"
import { AgentTest } from "@treadle/agent/test"
import { helper, search } from "./rightAgents.ts"
/* W60 */ AgentTest.call(search, { q: "x" })
/* W61 */ AgentTest.call(search)
/* W62 */ runAgent(helper, "Go")
/* W63 */ converse(helper)
/* W64 */ Effect.runPromise(Agent.run(helper, "Go"))
/* W65 */ Agent.make({ name: "x", instruction: "x", limits: { step: 3 } })
/* W66 */ Agent.make({ name: "x", instruction: "x", servers: { kb: ctx } })
/* W67 */ Server.http("https://x", { tags: ["dangerous"] })
/* W68 */ AgentTest.script((seen) => AgentTest.say(seen.last(search)))
/* W69 */ Agent.make({ name: "x" })
import { AgentMcp } from "@treadle/agent"
/* W70 */ McpNode.handler(AgentMcp.make(helper))
/* W71 */ AgentTest.call(AgentMcp.spawn, { instruction: "x", depth: 1 })
/* W72 */ m.tool("half", { description: "x", input: { n: Schema.Int }, http: "GET /half/:m" }, async () => "x")
/* W73 */ HttpRoutes.fetch(ctx)(new Request("http://localhost/"))
/* W74 */ HttpRoutes.layer(ctx)
/* W75 */ McpRouter.layer(ctx, { path: "/mcp" })
/* W76 */ McpNode.handler(m, { tls: { key: "x", cert: "x" } })
/* W77 */ McpHttp.fetch(m, { path: "/mcp" })
/* W78 */ McpNode.stdio(m, {}, { auth: undefined })

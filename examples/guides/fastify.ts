/** Mounted in Fastify, after its own body parser. */
// #region fastify
import { McpNode } from "@treadle/server/node"
import Fastify from "fastify"
import { weather } from "./weather.ts"

export const makeFastify = () => {
  const app = Fastify()
  const handler = McpNode.handler(weather)
  app.all("/mcp", (request, reply) => {
    reply.hijack()
    handler(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
  app.addHook("onClose", () => handler.close())
  return app
}
// #endregion

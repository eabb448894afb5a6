/** A protected server in Express and in Hono: the same handler serves its metadata. */
// #region routed
import type { Authentication, Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import express from "express"
import { Hono } from "hono"

export const inExpress = (mcp: Mcp<never>, auth: Authentication) => {
  const handler = McpNode.handler(mcp, { auth })
  return express().all("/mcp", handler).use("/.well-known/oauth-protected-resource", handler)
}

export const inHono = (mcp: Mcp<never>, auth: Authentication) => {
  const serve = McpHttp.fetch(mcp, { auth })
  const app = new Hono()
  app.all("/mcp", (c) => serve(c.req.raw))
  app.all("/.well-known/oauth-protected-resource/*", (c) => serve(c.req.raw))
  app.all("/.well-known/oauth-protected-resource", (c) => serve(c.req.raw))
  return app
}
// #endregion

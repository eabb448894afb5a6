/** The library as a Node program of its own. */
// #region node
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { Library } from "./routes.ts"

export const server = (port: number) =>
  HttpRouter.serve(Library).pipe(Layer.provide(NodeHttpServer.layer(() => createServer(), { port, host: "127.0.0.1" })))
// #endregion

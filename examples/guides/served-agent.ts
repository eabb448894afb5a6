/**
 * An agent as a server of its own, for parents that know its secret.
 */
// #region serve
import { AgentMcp } from "@treadle/agent"
import { StaticBearer } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { Layer } from "effect/Layer"
import { reviewer } from "./reviewer.ts"

export const serveReviewer = (model: Layer<LanguageModel>, secret: string) =>
  McpNode.listen(AgentMcp.make(reviewer).provide(model), {
    port: 0,
    auth: StaticBearer.make({ tokens: { parent: secret } })
  })
// #endregion

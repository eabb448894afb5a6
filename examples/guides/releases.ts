/**
 * An agent whose reviewer is served elsewhere.
 */
// #region parent
import { Agent, Server } from "@treadle/agent"

export const releases = (url: string) =>
  Agent.make({
    name: "releases",
    instruction: "You prepare releases. Have pull requests reviewed.",
    servers: {
      reviewer: Server.http(url, { headers: { authorization: "Bearer {{secret:REVIEWER}}" }, timeout: 600_000 })
    }
  })
// #endregion

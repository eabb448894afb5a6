/** An agent that reviews, with one server. */
// #region reviewer
import { Agent } from "@treadle/agent"
import { rules } from "./rules.ts"

export const reviewer = Agent.make({
  name: "reviewer",
  instruction: "You review pull requests. Look up the rules before you answer.",
  servers: { rules }
})
// #endregion reviewer

/** An agent whose answer is typed, run as an Effect. */
// #region verdict
import { Agent } from "@treadle/agent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rules } from "./rules.ts"

const Verdict = Schema.Struct({ approve: Schema.Boolean, reasons: Schema.Array(Schema.String) })

export const judge = Agent.make({
  name: "judge",
  instruction: "You decide whether a pull request may be merged.",
  servers: { rules },
  answer: Verdict,
  limits: { steps: 10, deadline: 60_000 }
})

/** `Effect<string, AgentError, LanguageModel>` */
export const verdict = Effect.map(Agent.run(judge, "May PR 7 be merged?"), ({ answer, status }) =>
  answer === undefined ? `no answer: ${status}` : answer.approve ? "merge" : answer.reasons.join("; ")
)
// #endregion verdict

/**
 * Three agents: a researcher who has the library, a critic who has it too, and a lead whose servers are the other two.
 */
import { Agent } from "@treadle/agent"
import type { LanguageModel } from "effect/ai/LanguageModel"
import type { Layer } from "effect/Layer"
import * as Schema from "effect/Schema"
import { library } from "./library.ts"

export type Role = "lead" | "researcher" | "critic"

/** What the lead answers. */
export const Report = Schema.Struct({
  summary: Schema.String,
  sources: Schema.Array(Schema.Int),
  /** What the critic found wrong, and is not in the summary any more. */
  corrections: Schema.Array(Schema.String)
})

/** @param modelOf the model of each */
export const makeTeam = (modelOf: (role: Role) => Layer<LanguageModel, unknown>) => {
  const researcher = Agent.make({
    name: "researcher",
    description: "Finds and reads sources",
    instruction: "You research in the library. Name the number of every source that you use.",
    servers: { library },
    model: modelOf("researcher"),
    limits: { steps: 12 }
  })
  const critic = Agent.make({
    name: "critic",
    description: "Checks claims against the sources",
    instruction: "You check claims against the library, and say which of them no source supports.",
    servers: { library },
    model: modelOf("critic"),
    limits: { steps: 12 }
  })
  return Agent.make({
    name: "lead",
    instruction:
      "You write short reports. Have the researcher collect what the sources say, then have the critic check it. " +
      "Both are started with their tool subagent_spawn, and give back what they found.",
    servers: { researcher, critic },
    model: modelOf("lead"),
    answer: Report,
    subagents: false,
    limits: { steps: 8, deadline: 120_000 }
  })
}

/** What the three say where no model is configured. */
import { AgentMcp } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { findSources, readSource } from "./library.ts"
import type { Role } from "./team.ts"

const scripts = {
  researcher: AgentTest.script(
    AgentTest.call(findSources, { word: "treadle" }),
    AgentTest.together(AgentTest.call(readSource, { id: 1 }), AgentTest.call(readSource, { id: 2 })),
    AgentTest.say("A treadle frees both hands [1]. A weaver made twice the cloth [2]. It drove the mills [3].")
  ),
  critic: AgentTest.script(AgentTest.call(readSource, { id: 3 }), (seen) =>
    AgentTest.say(
      seen.last(readSource)?.text.includes("Steam") === true
        ? "Not supported: that treadles drove the mills; source 3 says that steam did."
        : "All supported."
    )
  ),
  lead: AgentTest.script(
    AgentTest.call(
      AgentMcp.spawn,
      { instruction: "What did treadles change in weaving?", output_contract: "Sentences with the numbers of sources" },
      { server: "researcher" }
    ),
    (seen) =>
      AgentTest.call(
        AgentMcp.spawn,
        { instruction: `Check these claims: ${String(seen.last(AgentMcp.spawn)?.result)}` },
        { server: "critic" }
      ),
    (seen) =>
      AgentTest.answer({
        summary: "A treadle frees both hands, and a weaver made twice the cloth in a day.",
        sources: [1, 2],
        corrections: [String(seen.last(AgentMcp.spawn)?.result)]
      })
  )
}

export const scripted = (role: Role) => scripts[role]

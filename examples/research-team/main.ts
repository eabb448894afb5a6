/** Asks the team one question and prints what it does: `node main.js "What did treadles change?"`. */
import { streamAgent } from "@treadle/agent/promise"
import { isConfigured, modelsOf } from "./model.ts"
import { makeTeam } from "./team.ts"

const question = process.argv[2] ?? "What did treadles change in weaving?"
console.log(isConfigured(process.env) ? "" : "No MODEL_URL is set, so a script answers.")

const team = makeTeam(modelsOf(process.env))
for await (const item of streamAgent(team, question)) {
  if (item._tag === "ToolCalled") console.log(`${item.server} ${item.tool} ${JSON.stringify(item.input)}`)
  if (item._tag === "ToolReturned") console.log(`  ${item.isError ? "failed: " : ""}${item.text}`)
  if (item._tag === "Outcome") {
    const { answer, status, text, usage } = item.outcome
    console.log(`${status} after ${usage.steps} steps`)
    console.log(answer === undefined ? text : JSON.stringify(answer, null, 2))
  }
}

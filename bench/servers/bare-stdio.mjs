// No MCP, only a loop over lines with the same JSON in and out.
import { answer } from "./bare-answer.mjs"

let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop()
  let out = ""
  for (const line of lines) out += `${answer(line)}\n`
  if (out !== "") process.stdout.write(out)
})

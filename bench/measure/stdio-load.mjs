// Load on a stdio server, a process of its own: it starts the server on the other core and keeps a window of calls open.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { commandOn, cpuMicros, serverCore, serverFile } from "./processes.mjs"
import { addAnswered, callAdd } from "./wire.mjs"

/** Calls that are open at a time. */
const window = 64
const [before, after] = JSON.stringify(callAdd("ID")).split('"ID"')

/** Line ends in a chunk. */
const linesIn = (chunk) => {
  let lines = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  return lines
}

const measure = async (child, { warm, millis }) => {
  let id = 0
  let answers = 0
  let stopping = false
  let rest = Buffer.alloc(0)
  const send = (count) => {
    let lines = ""
    for (let n = 0; n < count; n++) lines += `${before}${++id}${after}\n`
    child.stdin.write(lines)
  }
  const settled = new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
    child.stdout.on("data", (chunk) => {
      const lines = linesIn(chunk)
      if (chunk.includes('"error"')) return reject(new Error(`an answer was ${chunk.toString().slice(0, 300)}`))
      rest = chunk
      answers += lines
      if (!stopping) return send(lines)
      if (answers === id) resolve()
    })
  })
  settled.catch(() => {})
  const pause = (time) => Promise.race([settled, new Promise((resolve) => setTimeout(resolve, time))])
  send(window)
  await pause(warm)
  const from = { answers, cpu: cpuMicros(child.pid), at: performance.now() }
  await pause(millis)
  const done = answers - from.answers
  const took = performance.now() - from.at
  const cpu = cpuMicros(child.pid)
  stopping = true
  await Promise.race([settled, new Promise((_, reject) => setTimeout(() => reject(new Error("answers are missing")), 5_000))])
  if (!rest.includes(addAnswered)) throw new Error(`the last answer has no ${addAnswered}`)
  return { rate: (done / took) * 1000, micros: from.cpu === undefined ? undefined : (cpu - from.cpu) / done }
}

const load = async (question) => {
  const [command, args] = commandOn(serverCore, [serverFile(question.server)])
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.on("error", () => {})
  try {
    return await measure(child, question)
  } finally {
    if (child.exitCode === null) {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
}

process.on("message", (question) => {
  load(question).then(
    (answer) => process.send(answer),
    (error) => process.send({ error: `${question.server}: ${error.message}` })
  )
})

// Load on stdio servers, a process of its own: it starts each server once on the other core and keeps a window of calls
// open while that server has its turn.
import { spawn } from "node:child_process"
import { commandOn, cpuMicros, serverCore, serverFile, watchOthers } from "./processes.mjs"
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

/** A server that runs. */
class Pipe {
  #child
  #sent = 0
  #answers = 0
  #goal = 0
  #reached = () => {}
  #failed = () => {}
  #checked = false

  constructor(server) {
    const [command, args] = commandOn(serverCore, [serverFile(server)])
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
    this.#child.stdin.on("error", () => {})
    this.#child.once("exit", (code) => this.#failed(new Error(`the server ended with ${code}`)))
    this.#child.stdout.on("data", (chunk) => this.#read(chunk))
  }

  get pid() {
    return this.#child.pid
  }

  get answers() {
    return this.#answers
  }

  /** Sends calls for so many milliseconds or so many calls, and waits for the last answer. */
  async run(millis, calls) {
    const timer = setTimeout(() => {
      this.#goal = 0
    }, millis)
    this.#goal = this.#sent + calls
    this.#checked = false
    try {
      await new Promise((resolve, reject) => {
        this.#reached = resolve
        this.#failed = reject
        this.#send(Math.min(window, calls))
      })
    } finally {
      clearTimeout(timer)
    }
  }

  end() {
    this.#child.kill("SIGKILL")
  }

  #send(count) {
    let lines = ""
    for (let n = 0; n < count; n++) lines += `${before}${++this.#sent}${after}\n`
    this.#child.stdin.write(lines)
  }

  #read(chunk) {
    const lines = linesIn(chunk)
    if (chunk.includes('"error"')) return this.#failed(new Error(`an answer was ${chunk.toString().slice(0, 300)}`))
    this.#checked ||= chunk.includes(addAnswered)
    this.#answers += lines
    if (this.#sent < this.#goal) return this.#send(lines)
    if (this.#answers < this.#sent) return
    if (this.#checked) this.#reached()
    else this.#failed(new Error(`no answer has ${addAnswered}`))
  }
}

const pipes = new Map()
process.on("exit", () => {
  for (const pipe of pipes.values()) pipe.end()
})

const load = async ({ server, millis, calls = Number.MAX_SAFE_INTEGER }) => {
  const pipe = pipes.get(server) ?? new Pipe(server)
  pipes.set(server, pipe)
  const from = { answers: pipe.answers, cpu: cpuMicros(pipe.pid), at: performance.now() }
  const others = watchOthers(pipe.pid)
  await pipe.run(millis, calls)
  const done = pipe.answers - from.answers
  const took = performance.now() - from.at
  const cpu = cpuMicros(pipe.pid)
  return {
    rate: (done / took) * 1000,
    micros: cpu === undefined ? undefined : (cpu - from.cpu) / done,
    others: others()
  }
}

process.on("disconnect", () => process.exit())
process.on("message", (question) => {
  if (question === "end") process.exit()
  load(question).then(
    (answer) => process.send(answer),
    (error) => process.send({ error: `${question.server}: ${error.message}` })
  )
})

// Starting and ending the processes of the benchmark: servers on one core, load on the other, each ended by its id.
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { once } from "node:events"
import net from "node:net"
import { availableParallelism } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const folder = path.dirname(import.meta.dirname)
const running = new Set()

/** Whether processes can be pinned to cores. */
export const pins = availableParallelism() > 1 && spawnSync("taskset", ["-c", "0,1", "true"]).status === 0

export const serverCore = 0
export const loadCore = 1

export const serverFile = (name) => path.join(folder, "servers", `${name}.mjs`)
export const measureFile = (name) => path.join(folder, "measure", `${name}.mjs`)

/** The command line of a Node process on a core. */
export const commandOn = (core, args) =>
  pins && core !== undefined ? ["taskset", ["-c", String(core), process.execPath, ...args]] : [process.execPath, args]

const end = (child) => {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
}
process.on("exit", () => {
  for (const child of running) end(child)
})

/** Starts a Node process with a message channel to it. */
export const start = (core, args, options = {}) => {
  const [command, all] = commandOn(core, args)
  const child = spawn(command, all, { stdio: ["ignore", "ignore", "inherit", "ipc"], ...options })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}

/** Ends a process and waits until it is gone. */
export const stop = async (child) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  end(child)
  await gone
}

/** Sends a message to a process and waits for its answer. */
export const ask = (child, question, millis) =>
  new Promise((resolve, reject) => {
    const settle = (settled, value) => {
      clearTimeout(timer)
      child.off("message", answered)
      child.off("exit", ended)
      settled(value)
    }
    const answered = (answer) =>
      answer.error === undefined ? settle(resolve, answer) : settle(reject, new Error(answer.error))
    const ended = (code) => settle(reject, new Error(`a process of the benchmark ended with ${code}`))
    const timer = setTimeout(() => settle(reject, new Error("a process of the benchmark did not answer")), millis)
    child.once("message", answered)
    child.once("exit", ended)
    child.send(question)
  })

/** A port that is free now. */
export const freePort = async () => {
  const server = net.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Starts one of the servers on a free port and waits until it listens. */
export const serve = async (name, flags = []) => {
  const port = await freePort()
  const child = start(serverCore, [...flags, serverFile(name), String(port)])
  for (let waited = 0; waited < 15_000; waited += 50) {
    if (child.exitCode !== null) break
    if (await accepts(port)) return { name, port, child }
    await sleep(50)
  }
  await stop(child)
  throw new Error(`bench/servers/${name}.mjs did not listen`)
}

/** Microseconds of processor time that a process has used, where the platform tells; `undefined` elsewhere. */
export const cpuMicros = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return undefined
  }
}

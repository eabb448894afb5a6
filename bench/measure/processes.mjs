// Starting and ending the processes of the benchmark: servers on one core, load on the other, each ended by its id.
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { once } from "node:events"
import net from "node:net"
import { availableParallelism, cpus } from "node:os"
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

/** Fields 14 to 17 of a stat file, in hundredths of a second: user, system, and those of children that have ended. */
const ticks = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number)
}

/** Microseconds of processor time that a process has used, where the platform tells; `undefined` elsewhere. */
export const cpuMicros = (pid) => {
  try {
    const [user, system] = ticks(pid)
    return (user + system) * 10_000
  } catch {
    return undefined
  }
}

/** Milliseconds that this process, the children it has ended and another process have used. */
const ownMillis = (pid) => {
  const own = ticks(process.pid).reduce((sum, time) => sum + time, 0)
  return own * 10 + (pid === undefined ? 0 : cpuMicros(pid) / 1000)
}

/** All the time of the processors and what of it was idle, in milliseconds. */
export const processorTimes = () =>
  cpus().reduce(
    ({ all, idle }, { times }) => ({
      all: all + Object.values(times).reduce((sum, time) => sum + time, 0),
      idle: idle + times.idle
    }),
    { all: 0, idle: 0 }
  )

/**
 * Watches what others use of the machine.
 *
 * @param pid a process that is no other, beside this one
 * @returns a function that tells the share of all processors since now; `undefined` where the platform does not tell
 */
export const watchOthers = (pid) => {
  if (cpuMicros(process.pid) === undefined) return () => undefined
  const before = { ...processorTimes(), own: ownMillis(pid) }
  return () => {
    const after = processorTimes()
    const all = after.all - before.all
    const used = all - (after.idle - before.idle) - (ownMillis(pid) - before.own)
    return all === 0 ? 0 : Math.max(0, used / all)
  }
}

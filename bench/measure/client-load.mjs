// Clients that keep calls of `add` open, a process of its own. Each client is opened once, as its user would open it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { connectHttp, connectStdio } from "@treadle/client/node"
import { connect } from "@treadle/client/promise"
import { commandOn, cpuMicros, serverCore, serverFile, watchOthers } from "./processes.mjs"
import { callAdd } from "./wire.mjs"

/** Calls that are open at a time. */
const window = 16

const args = { a: 2, b: 3 }

/** The bare server over stdio, as both clients start it. */
const program = () => {
  const [command, rest] = commandOn(serverCore, [serverFile("bare-stdio")])
  return { command, args: rest }
}

const official = async (transport) => {
  const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(transport)
  if (client.getProtocolEra() !== "modern") throw new Error(`it speaks ${client.getProtocolEra()}`)
  return {
    call: async () => (await client.callTool({ name: "add", arguments: args })).structuredContent,
    pid: Number(client.getInstructions()),
    close: () => client.close()
  }
}

const ours = async (connecting) => {
  const client = await connecting
  return {
    call: async () => (await client.callTool("add", args)).structuredContent,
    pid: Number(client.instructions),
    close: () => client.close()
  }
}

/** No client: the same JSON by `fetch`, which both clients send their requests with. */
const bare = async (url, pid) => ({
  call: async () => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(callAdd(1)) })
    return (await response.json()).result.structuredContent
  },
  pid,
  close: () => {}
})

const kinds = {
  "sdk-http": ({ url }) => official(new StreamableHTTPClientTransport(new URL(url))),
  "treadle-http": ({ url }) => ours(connectHttp(url)),
  "treadle-fetch": ({ url }) => ours(connect(url)),
  "fetch-http": ({ pid, url }) => bare(url, pid),
  "sdk-stdio": () => official(new StdioClientTransport(program())),
  "treadle-stdio": () => ours(connectStdio(program()))
}

const clients = new Map()

const clientOf = async (question) => {
  const { client: kind } = question
  if (!clients.has(kind)) clients.set(kind, await kinds[kind](question))
  return clients.get(kind)
}

/** Keeps calls open for so many milliseconds or so many answers. */
const run = async (client, { answers = Number.POSITIVE_INFINITY, millis }) => {
  let done = 0
  const until = performance.now() + millis
  const caller = async () => {
    while (performance.now() < until && done < answers) {
      const { sum } = await client.call()
      if (sum !== 5) throw new Error(`2 and 3 made ${sum}`)
      done++
    }
  }
  await Promise.all(Array.from({ length: window }, caller))
  return done
}

const load = async (question) => {
  const client = await clientOf(question)
  const before = cpuMicros(client.pid)
  const own = process.cpuUsage()
  const others = watchOthers(client.pid)
  const began = performance.now()
  const done = await run(client, question)
  const took = performance.now() - began
  const { system, user } = process.cpuUsage(own)
  const after = cpuMicros(client.pid)
  return {
    rate: (done / took) * 1000,
    others: others(),
    micros: after === undefined ? undefined : (after - before) / done,
    loadMicros: (user + system) / done
  }
}

const end = async () => {
  await Promise.all([...clients.values()].map((client) => client.close()))
  process.exit()
}

process.on("disconnect", end)
process.on("message", (question) => {
  if (question === "end") return end()
  load(question).then(
    (answer) => process.send(answer),
    (error) => process.send({ error: `${question.client}: ${error.message}` })
  )
})

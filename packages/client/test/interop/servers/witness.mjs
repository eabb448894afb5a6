/**
 * Loaded before a server (`node --import ./witness.mjs sdk-v1.mjs http`). Says on stderr, in lines of JSON, what only
 * the process itself knows: its id, the port it listens on, each HTTP request, and how many of them are open.
 *
 * Whatever address and port a server asks for, it listens on a free port of loopback, and ends with its stdin.
 */
import { subscribe } from "node:diagnostics_channel"
import { Server } from "node:net"

const say = (fact) => process.stderr.write(`\nwitness ${JSON.stringify(fact)}\n`)

const listen = Server.prototype.listen
Server.prototype.listen = function (...args) {
  const [first] = args
  if (typeof first === "string" && !/^\d+$/.test(first)) return listen.apply(this, args)
  this.once("listening", () => say({ port: this.address().port }))
  process.stdin.resume().on("end", () => process.exit(0))
  return listen.call(
    this,
    { port: 0, host: "127.0.0.1" },
    args.find((arg) => typeof arg === "function")
  )
}

let open = 0
subscribe("http.server.request.start", ({ request, response }) => {
  open++
  say({ method: request.method, open })
  response.once("close", () => {
    open--
    say({ open })
  })
})

say({ pid: process.pid })

// Runs the official MCP conformance suite against our everything-server and everything-client, and compares the outcome
// with conformance/expected-failures.json. A scenario passes when the suite saw a success, no failure and no warning, and
// its client exited with 0 in time. Exits 1 on an unexpected failure and on an entry of the file that passes.
// `--revision 2026-07-28`, `--leg server|client` and `--scenario NAME` narrow the run; each may be repeated.
import { fork, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { build } from "esbuild"
import { leaksIn } from "../conformance/suite/secrets.mjs"
import { root } from "./tools.mjs"

const home = path.join(root, "conformance")
const results = path.join(home, "results")
const suiteHome = path.join(root, "node_modules/@modelcontextprotocol/conformance")
const legs = ["server", "client"]
const revisions = ["2025-11-25", "2026-07-28"]
/** Milliseconds for one run of the suite, which gives a client 30 s. */
const runLimit = 45_000

const { values: options } = parseArgs({
  options: {
    revision: { type: "string", multiple: true, default: revisions },
    leg: { type: "string", multiple: true, default: legs },
    scenario: { type: "string", multiple: true }
  }
})

const quit = (message) => {
  console.error(message)
  process.exit(1)
}

/** The scenarios that a revision's requirements name for a leg, those that are run without being scored included. */
const scenariosOf = (revision, leg) => {
  const yaml = fs.readFileSync(path.join(suiteHome, "requirements", `${revision}.yaml`), "utf8")
  const scored = new RegExp(`^${leg}:\\n((?:  - .+\\n)+)`, "m").exec(yaml)?.[1] ?? ""
  const others = [...yaml.matchAll(/^ {2}- scenario: (\S+)\n {4}leg: (\S+)$/gm)].filter((match) => match[2] === leg)
  return [...scored.matchAll(/^ {2}- (\S+)$/gm), ...others].map((match) => match[1])
}

/** Bundles the two programs from the sources of the packages. */
const bundle = () =>
  build({
    absWorkingDir: home,
    entryPoints: ["src/server.ts", "src/client.ts"],
    outdir: "dist",
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@treadle/source"],
    logLevel: "warning"
  })

/** Starts a process that runs the suite's command line as often as it is asked to. */
const startWorker = (log) => {
  const child = fork(path.join(home, "suite/worker.mjs"), { cwd: root, stdio: ["ignore", log, log, "ipc"] })
  const gone = once(child, "exit").then(() => undefined)
  return {
    /** The exit code of one run; `undefined`, and an end of the process, where there is none in time. */
    run: async (args) => {
      child.send(args, () => {})
      const answered = once(child, "message", { signal: AbortSignal.timeout(runLimit) })
      const answer = await Promise.race([answered.catch(() => undefined), gone])
      if (answer === undefined) child.kill("SIGKILL")
      return answer?.[0]
    },
    stop: () => child.kill()
  }
}

/** Runs scenarios, some at the same time. Gives the exit codes of the suite's runs by scenario. */
const runScenarios = async (names, argsOf, width, log) => {
  const codes = new Map()
  const waiting = [...names]
  const work = async () => {
    let worker = startWorker(log)
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const code = await worker.run(argsOf(name))
      if (code === undefined) worker = startWorker(log)
      codes.set(name, code)
    }
    worker.stop()
  }
  await Promise.all(Array.from({ length: width }, work))
  return codes
}

/** Starts the everything-server on a free port. It ends when `stop` is called, or with this process. */
const startServer = async (log) => {
  const errors = fs.openSync(log, "w")
  const child = spawn(process.execPath, [path.join(home, "dist/server.js")], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", errors, "ipc"]
  })
  const gone = once(child, "exit")
  const started = once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(10_000) })
  const first = await Promise.race([started.catch(() => undefined), gone.then(() => undefined)])
  if (first === undefined) {
    child.kill("SIGKILL")
    quit(`The everything-server did not start; see ${path.relative(root, log)}`)
  }
  return {
    url: first[0],
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000)
      await gone
      clearTimeout(timer)
    }
  }
}

const textOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "")

/** What the suite gave to the clients, which it logs. */
const contextsIn = (log) => [...textOf(log).matchAll(/^With context: (\{.*\})$/gm)].map((match) => JSON.parse(match[1]))

/** What the suite wrote of one scenario: its checks, and where a secret is that does not belong there. */
const recordOf = (home, contexts) => {
  const checks = JSON.parse(textOf(path.join(home, "checks.json")))
  const printed = {
    "its output": textOf(path.join(home, "stdout.txt")),
    "its errors": textOf(path.join(home, "stderr.txt"))
  }
  return { checks, leaks: leaksIn(checks, contexts, printed) }
}

/** What the suite wrote below a folder, by the name of a scenario, which is that of its folder without its time stamp. */
const recordsBelow = (folder) => {
  const contexts = contextsIn(path.join(folder, "suite.log"))
  return new Map(
    fs
      .readdirSync(folder, { recursive: true })
      .filter((file) => path.basename(file) === "checks.json")
      .map((file) => [
        path
          .dirname(file)
          .replaceAll(path.sep, "/")
          .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ""),
        recordOf(path.dirname(path.join(folder, file)), contexts)
      ])
  )
}

/** What speaks against a scenario; nothing where it passed. */
const problemsOf = (record, code) => {
  if (record === undefined) return ["the suite wrote no checks"]
  const { checks, leaks } = record
  if (leaks.length > 0) return leaks
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
  if (bad.length > 0) return bad.map((one) => `${one.status} ${one.id}: ${one.errorMessage ?? one.description}`)
  if (!checks.some(({ status }) => status === "SUCCESS")) return ["nothing was checked"]
  if (code === undefined) return [`the run did not end within ${runLimit} ms`]
  return code === 0 ? [] : ["the client exited with an error, or did not end in time"]
}

/** Runs scenarios of a leg, and gives what speaks against each. */
const outcomesOf = async (revision, leg, names, folder) => {
  const server = leg === "server" ? await startServer(path.join(folder, "server.log")) : undefined
  const client = `"${process.execPath}" "${path.join(home, "dist/client.js")}"`
  const target = server === undefined ? ["client", "--command", client] : ["server", "--url", server.url]
  const argsOf = (name) => [...target, "--scenario", name, "--spec-version", revision, "--force", "-o", folder]
  const log = fs.openSync(path.join(folder, "suite.log"), "w")
  // One server answers all scenarios, and some of them watch what others would change.
  const codes = await runScenarios(names, argsOf, server === undefined ? os.availableParallelism() : 1, log)
  await server?.stop()
  const records = recordsBelow(folder)
  const prefix = server === undefined ? "" : "server-"
  return names.map((name) => ({ name, problems: problemsOf(records.get(`${prefix}${name}`), codes.get(name)) }))
}

/** Prints a scenario beside what was expected of it, and tells what became of it. */
const judge = ({ name, problems }, reason) => {
  const passed = problems.length === 0
  if (passed && reason === undefined) {
    console.log(`  pass   ${name}`)
    return "passed"
  }
  if (!passed && reason !== undefined) {
    const details = options.scenario === undefined ? [] : problems
    console.log([`  known  ${name}: ${reason}`, ...details].join("\n           "))
    return "known"
  }
  if (passed) console.log(`  STALE  ${name} passes: take it out of conformance/expected-failures.json`)
  else console.log([`  FAIL   ${name}`, ...problems].join("\n           "))
  return "failed"
}

const isWanted = (name) => options.scenario === undefined || options.scenario.includes(name)

const runLeg = async (revision, leg, expected) => {
  const all = scenariosOf(revision, leg)
  const names = all.filter(isWanted)
  if (names.length === 0) return []
  const folder = path.join(results, `${leg}-${revision}`)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const start = performance.now()
  const outcomes = await outcomesOf(revision, leg, names, folder)
  console.log(`${leg} ${revision}, ${((performance.now() - start) / 1000).toFixed(1)} s`)
  const verdicts = outcomes.map((outcome) => judge(outcome, expected[outcome.name]))
  const unknown = Object.keys(expected).filter((name) => !all.includes(name))
  for (const name of unknown) console.log(`  STALE  ${name} is no scenario of this leg`)
  return [...verdicts, ...unknown.map(() => "failed")]
}

for (const leg of options.leg) if (!legs.includes(leg)) quit(`--leg is ${legs.join(" or ")}, not ${leg}`)
for (const one of options.revision) {
  if (!revisions.includes(one)) quit(`--revision is ${revisions.join(" or ")}, not ${one}`)
}

const expected = JSON.parse(fs.readFileSync(path.join(home, "expected-failures.json"), "utf8"))
await bundle()
const verdicts = []
for (const revision of options.revision) {
  for (const leg of options.leg) verdicts.push(...(await runLeg(revision, leg, expected[revision]?.[leg] ?? {})))
}
if (verdicts.length === 0) quit(`No scenario is called ${options.scenario?.join(" or ")}`)
const count = (verdict) => verdicts.filter((one) => one === verdict).length
console.log(`${count("passed")} passed, ${count("failed")} failed, ${count("known")} known to fail`)
process.exit(count("failed") === 0 ? 0 : 1)

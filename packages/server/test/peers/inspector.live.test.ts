/**
 * Every feature of a server that the official Inspector's command lines can use: the one that connects for each run, in
 * all of its eras and over both doors, and the one that keeps connections, which people can be asked through.
 */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import type { RawMessage } from "@treadle/testing"
import type { Listening } from "../../src/node/index.ts"
import { seats } from "../fixtures/theatre.ts"
import { openTheatre, program } from "./everyPeer.ts"

let home = ""
let listening: Listening | undefined
let runs: ChildProcess | undefined

/** The Inspector writes below the home of its user. */
const environment = () => ({
  ...process.env,
  HOME: home,
  MCP_INSPECTOR_SECRET_STORE: "file",
  MCP_INSPECTOR_DAEMON_DIR: path.join(home, "daemon"),
  MCP_INSPECTOR_DAEMON_TOKEN: "of-this-test"
})

const target = (door: string): ReadonlyArray<string> =>
  door === "HTTP" ? [listening?.url ?? ""] : [process.execPath, program()]

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "inspector-"))
  listening = await openTheatre()
  runs = fork(path.join(import.meta.dirname, "inspector-runs.mjs"), { env: environment(), stdio: "ignore" })
})

afterAll(async () => {
  runs?.kill("SIGKILL")
  await listening?.close()
  await rm(home, { recursive: true, force: true })
})

/** One run of a command line: what it wrote, and how it failed. */
const run = async (command: "once" | "kept", args: ReadonlyArray<string>): Promise<RawMessage> => {
  assert(runs)
  const told = once(runs, "message")
  runs.send({ command, args })
  return (await told)[0]
}

const names = (list: ReadonlyArray<RawMessage>) => list.map(({ name }) => name)

type Inspect = (method: string, ...args: ReadonlyArray<string>) => Promise<RawMessage>

const called = (inspect: Inspect, name: string, args: object) =>
  inspect("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args))

const eras = [
  { era: "modern", version: "2026-07-28" },
  { era: "auto", version: "2026-07-28" },
  { era: "legacy", version: "2025-11-25" }
] as const

interface Feature {
  readonly feature: string
  readonly use: (inspect: Inspect, era: (typeof eras)[number]) => Promise<void>
}

const features: ReadonlyArray<Feature> = [
  {
    feature: "INIT-05 DISC-02: learns who serves, and what",
    use: async (inspect, { version }) => {
      const { error, result } = await inspect("initialize")
      assert.isUndefined(error)
      assert.strictEqual(result.protocolVersion, version)
      assert.strictEqual(result.serverInfo.title, "The theatre")
      assert.deepStrictEqual(result.capabilities.extensions, { "com.example/tickets": { currency: "EUR" } })
    }
  },
  {
    feature: "TOOL-08: lists tools whose schemas other programs can read",
    use: async (inspect) => {
      const { error, result } = await inspect("tools/list", "--strict")
      assert.isUndefined(error)
      assert.includeMembers(names(result.tools), ["show", "book", "rehearse", "change"])
    }
  },
  {
    feature: "PAGE-05: lists resources over all pages",
    use: async (inspect) => assert.lengthOf((await inspect("resources/list"))["result"].resources, seats + 5)
  },
  {
    feature: "RES-10: lists templates",
    use: async (inspect) =>
      assert.deepStrictEqual(names((await inspect("resources/templates/list"))["result"].resourceTemplates), ["show"])
  },
  {
    feature: "PROMPT-01: lists prompts",
    use: async (inspect) =>
      assert.deepStrictEqual(names((await inspect("prompts/list"))["result"].prompts), ["invite", "greet", "evening"])
  },
  {
    feature: "TOOL-10: calls a tool",
    use: async (inspect) => {
      const { error, result } = await called(inspect, "venue", { city: "Zürich" })
      assert.isUndefined(error)
      assert.deepStrictEqual(result.structuredContent, { city: "Zürich", rows: 10 })
    }
  },
  {
    feature: "D5 TOOL-16: is told of a declared error as a result",
    use: async (inspect) => {
      const { error, result } = await called(inspect, "show", { id: 9 })
      assert.strictEqual(error, "Tool 'show' returned isError:true.")
      assert.deepStrictEqual(result.structuredContent, { _tag: "ShowNotFound", id: 9 })
    }
  },
  {
    feature: "RES-03: reads bytes",
    use: async (inspect) => {
      const { contents } = (await inspect("resources/read", "--uri", "theatre://poster"))["result"]
      assert.deepStrictEqual(contents, [{ uri: "theatre://poster", mimeType: "image/png", blob: "iVBORw==" }])
    }
  },
  {
    feature: "PROMPT-02: gets a prompt",
    use: async (inspect) => {
      const args = ["--prompt-name", "evening", "--prompt-args", "city=Oslo", "show=Hamlet"]
      const { messages } = (await inspect("prompts/get", ...args))["result"]
      assert.strictEqual(messages[0].content.text, "Hamlet in Oslo, for 2.")
    }
  },
  {
    feature: "ELIC-02 TOOL-20: is told what it would have to be asked",
    use: async (inspect) => {
      const { error } = await called(inspect, "book", { show: "Faust" })
      assert.strictEqual(error, "book asks for a form, which this client does not offer (elicitation.form)")
    }
  },
  {
    feature: "LOG-07: sets the level of the log where there is one",
    use: async (inspect, { era }) => {
      const told = await inspect("logging/setLevel", "--log-level", "warning")
      assert.strictEqual(told["error"] === undefined, era === "legacy")
    }
  }
]

/** Everything over HTTP; a process for each run takes longer, so over a pipe the eras take turns. */
const table = [
  ...eras.flatMap((era) => features.map((feature) => ({ ...feature, ...era, door: "HTTP" }))),
  ...features.map((feature, at) => ({ ...feature, ...(eras[at % eras.length] ?? eras[0]), door: "a pipe" }))
]

describe("a run", () => {
  it.each(table)("over $door, $era: $feature", async ({ door, use, ...era }) => {
    await use(async (method, ...args) => {
      const options = ["--protocol-era", era.era, "--method", method, ...args]
      const { error, written } = await run("once", [...target(door), ...options])
      return { error, result: written.result ?? {} }
    }, era)
  })
})

const kept = async (...args: ReadonlyArray<string>): Promise<RawMessage> => {
  const { error, written } = await run("kept", args)
  assert.isUndefined(error)
  return written
}

const connections = ["HTTP", "a pipe"].flatMap((door) => ["modern", "legacy"].map((era) => ({ door, era })))

describe("a connection that is kept", () => {
  afterAll(async () => {
    const { pid } = await kept("daemon", "status")
    await kept("daemon", "stop")
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It has stopped already.
    }
  })

  it.each(connections)(
    "over $door, $era: COMP-02 D14: completes, and asks by a form and a page",
    async ({ door, era }) => {
      const { name } = await kept("connect", "--era", era, "--", ...target(door))
      const on = (...args: ReadonlyArray<string>) => kept("--connection", name, ...args)

      const about = ["--complete-ref-type", "ref/prompt", "--complete-ref", "evening", "--complete-arg-name", "city"]
      const { values } = await on("prompts/complete", ...about, "--complete-arg-value", "O")
      assert.deepStrictEqual(values, ["Oslo"])

      const { elicitationPending: form } = await on("tools/call", "book", "show:=Faust")
      assert.deepInclude(form, { mode: "form", message: "How many seats for Faust?" })
      const { elicitationPending: page } = await kept(
        "elicitation/respond",
        form.elicitationId,
        "seats:=3",
        "row:=back"
      )
      assert.deepInclude(page, { mode: "url", message: "Pay" })
      const { content } = await kept("elicitation/respond", page.elicitationId, "--done")
      assert.match(content[0].text, /^\d+: 3 seats in the back for Faust, payment: accept$/)

      await kept("disconnect", name)
    }
  )
})

// From spawning a stdio server to its first reply, unbundled and bundled into one file.
import { spawn } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { once } from "node:events"
import { tmpdir } from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { addCodeCache, bundle } from "../../examples/guides/pack.mjs"
import { measureFile, serverFile, watchOthers } from "../measure/processes.mjs"
import { alternate, disturbance, median, ratio } from "../measure/ratios.mjs"
import { addAnswered, callAdd } from "../measure/wire.mjs"

const request = `${JSON.stringify(callAdd(1))}\n`

/** Milliseconds from spawn to the whole first line. */
const firstReply = async (args, env = process.env) => {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env })
  const timer = setTimeout(() => child.kill("SIGKILL"), 15_000)
  try {
    child.stdin.write(request)
    let text = ""
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.includes("\n")) break
    }
    const took = performance.now() - began
    if (!text.includes(addAnswered)) throw new Error(`${args.at(-1)} answered ${text === "" ? "nothing" : text}`)
    return took
  } finally {
    clearTimeout(timer)
    if (child.exitCode === null) {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
}

/** Bundles a server into one file, as its author would before shipping it. */
const bundled = async (name, folder) => {
  const outfile = path.join(folder, `${name}.cjs`)
  await bundle(serverFile(name), outfile)
  return outfile
}

/** The same, with its code cache. */
const packed = (file, folder) => {
  const outfile = path.join(folder, "packed.cjs")
  copyFileSync(file, outfile)
  addCodeCache(outfile)
  return outfile
}

/** How many files of ours, and how many in all, the unbundled server loads. */
const filesLoaded = async (name, folder) => {
  const list = path.join(folder, "loaded.txt")
  const env = { ...process.env, BENCH_LOADED: list }
  await firstReply(["--import", measureFile("loaded-files"), serverFile(name)], env)
  const files = [...new Set(readFileSync(list, "utf8").split("\n"))].filter((url) => url.startsWith("file:"))
  const packages = pathToFileURL(path.resolve(import.meta.dirname, "../../packages")).href
  return { ours: files.filter((url) => url.startsWith(`${packages}/`)).length, all: files.length - 1 }
}

export const startUp = async ({ quick }) => {
  const folder = mkdtempSync(path.join(tmpdir(), "treadle-bench-"))
  try {
    const treadle = await bundled("treadle-stdio", folder)
    const files = {
      "bare node": serverFile("bare-stdio"),
      "official SDK v2": serverFile("sdk-stdio"),
      "effect/ai McpServer": serverFile("effect-stdio"),
      "bare Effect and Schema": serverFile("bare-effect-stdio"),
      Treadle: serverFile("treadle-stdio"),
      "official SDK v2, bundled": await bundled("sdk-stdio", folder),
      "Treadle, bundled": treadle,
      "Treadle, bundled with its code cache": packed(treadle, folder)
    }
    const names = Object.keys(files)
    for (const name of names) await firstReply([files[name]])
    const results = await alternate(names, quick ? 5 : 15, async (name) => {
      const others = watchOthers()
      return { millis: await firstReply([files[name]]), others: others() }
    })
    const times = (name) => results[name].map(({ millis }) => millis)
    const loaded = await filesLoaded("treadle-stdio", folder)
    return {
      title: "spawn of a stdio server to its first reply",
      unit: "ms",
      others: disturbance(results),
      rows: names.map((name) => ({ name, millis: median(times(name)) })),
      ratios: [
        { what: "Treadle / official SDK v2", ...ratio(times("Treadle"), times("official SDK v2")), atMost: 1.1 },
        {
          what: "bare Effect and Schema / official SDK v2",
          ...ratio(times("bare Effect and Schema"), times("official SDK v2"))
        },
        {
          what: "Treadle / bare Effect and Schema",
          ...ratio(times("Treadle"), times("bare Effect and Schema"))
        },
        {
          what: "Treadle, bundled with its code cache / bare node",
          ...ratio(times("Treadle, bundled with its code cache"), times("bare node")),
          atMost: 1.3
        },
        { what: "Treadle, bundled / bare node", ...ratio(times("Treadle, bundled"), times("bare node")) },
        {
          what: "Treadle, bundled / official SDK v2, bundled",
          ...ratio(times("Treadle, bundled"), times("official SDK v2, bundled"))
        }
      ],
      counts: [
        { what: "files of ours that the unbundled server loads", value: loaded.ours, atMost: 10 },
        { what: "files that it loads in all", value: loaded.all }
      ]
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

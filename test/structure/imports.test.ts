/**
 * The direction of imports, type imports included: between packages, and between the folders of each package. The table
 * is the one of AGENTS.md; a folder may import those of its row and nothing else of its package.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")

/** What a package may import of ours. */
const packages: Readonly<Record<string, ReadonlyArray<string>>> = {
  protocol: [],
  server: ["protocol"],
  client: ["protocol"],
  oauth: ["protocol", "client", "server"],
  agent: ["protocol", "client", "server"],
  testing: ["protocol"]
}

/** The folders of a package in the order in which messages pass, each with the folders that it may import. */
const folders: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  protocol: {
    json: [],
    rpc: ["json"],
    schema: ["rpc", "json"],
    era: ["schema", "rpc", "json"],
    framing: ["rpc", "json"],
    http: ["schema", "rpc", "json"],
    endpoint: ["http", "schema", "json"],
    trace: ["schema", "rpc", "json"],
    entry: ["trace", "endpoint", "framing", "http", "era", "schema", "rpc", "json"]
  },
  server: {
    vocabulary: [],
    reply: ["vocabulary"],
    handler: ["reply", "vocabulary"],
    envelope: ["reply", "vocabulary"],
    engine: ["envelope", "handler", "reply", "vocabulary"],
    transport: ["engine", "envelope", "vocabulary"],
    entry: ["transport", "engine", "envelope", "handler", "reply", "vocabulary"],
    node: ["entry", "transport", "engine", "envelope", "handler", "vocabulary"],
    "http-router": ["entry", "transport", "vocabulary"],
    "http-api": ["entry", "http-router", "transport", "engine", "envelope", "handler", "reply", "vocabulary"],
    toolkit: ["entry", "handler", "vocabulary"]
  },
  client: {
    vocabulary: [],
    transport: ["vocabulary"],
    engine: ["transport", "vocabulary"],
    call: ["vocabulary"],
    entry: ["call", "engine", "transport", "vocabulary"],
    promise: ["entry", "call", "vocabulary"],
    node: ["entry", "promise", "engine", "transport", "vocabulary"],
    typegen: ["vocabulary"],
    names: [],
    toolkit: ["names", "entry", "vocabulary"],
    command: ["typegen", "node", "entry", "vocabulary"]
  },
  oauth: {
    vocabulary: [],
    flow: ["vocabulary"],
    verify: ["vocabulary"],
    entry: ["flow", "vocabulary"],
    node: ["entry", "flow", "vocabulary"]
  },
  agent: {
    vocabulary: [],
    model: ["vocabulary"],
    toolbox: ["vocabulary"],
    loop: ["toolbox", "vocabulary"],
    supervise: ["loop", "toolbox", "vocabulary"],
    serve: ["supervise", "vocabulary"],
    entry: ["serve", "supervise", "loop", "toolbox", "vocabulary"],
    promise: ["entry", "vocabulary"],
    test: ["entry", "promise", "model", "vocabulary"],
    node: ["entry", "vocabulary"]
  },
  testing: { vocabulary: [] }
}

/** The rooms of an engine, each with those that it may import; its own files may import all of them. */
const rooms: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  server: {
    offer: [],
    tasks: ["offer", "engine"],
    methods: ["offer", "tasks", "engine"],
    asking: ["methods", "engine"],
    sessions: ["methods", "offer", "engine"],
    engine: ["asking", "methods", "offer", "sessions", "tasks"]
  },
  client: {
    asking: ["engine"],
    watching: ["engine"],
    opening: ["asking", "watching", "engine"],
    lists: ["opening", "engine"],
    tasks: ["asking", "engine"],
    engine: ["asking", "lists", "opening", "tasks", "watching"]
  }
}

/** Root files that assemble the stages; all other root files are vocabulary. */
const entries: Readonly<Record<string, ReadonlyArray<string>>> = {
  protocol: ["index.ts", "bundle.ts"],
  server: [
    "index.ts",
    "http.ts",
    "Mcp.ts",
    "McpDirect.ts",
    "McpHandle.ts",
    "McpHttp.ts",
    "McpMemory.ts",
    "PlainDoor.ts",
    "Served.ts"
  ],
  client: [
    "index.ts",
    "McpClient.ts",
    "McpSession.ts",
    "LiveSession.ts",
    "OpenHttp.ts",
    "OpenSession.ts",
    "PendingCall.ts",
    "ToolCalls.ts"
  ],
  oauth: ["index.ts", "OAuth.ts"],
  agent: ["index.ts", "Agent.ts", "AgentRun.ts", "AgentTree.ts", "Conversation.ts", "AgentMcp.ts", "ServedRunner.ts"],
  testing: []
}

/** Effect modules that are heavy to load, and the only places that may import them. */
const heavy: ReadonlyArray<{ readonly module: RegExp; readonly only: RegExp }> = [
  { module: /^effect\/http\//, only: /^packages\/(?:server\/src\/http-(?:api|router)|agent\/src\/model)\// },
  { module: /^effect\/http-api\//, only: /^packages\/server\/src\/http-api\// },
  { module: /^effect\/Stream$/, only: /^packages\/(?:(?:client|agent)\/src|server\/src\/http-router)\// },
  { module: /^effect\/ai\//, only: /^packages\/(?:agent\/src|server\/src\/toolkit|client\/src\/toolkit)\// },
  { module: /^effect\/(?:Logger|ManagedRuntime|process\/.*|cli\/.*)$/, only: /^(?!)/ },
  { module: /^@effect\/platform-node/, only: /^(?!)/ },
  { module: /^node:/, only: /^packages\/(?:server|client|oauth|agent)\/src\/(?:node|command)\/|^packages\/testing\// },
  { module: /^effect$/, only: /^(?!)/ }
]

interface SourceFile {
  readonly package: string
  /** Relative to the repository. */
  readonly path: string
  readonly folder: string
  readonly imports: ReadonlyArray<string>
  /** Its text without comments. */
  readonly code: string
}

const importPattern =
  /^\s*(?:import|export)\b[^"']*?from\s+["']([^"']+)["']|^\s*import\s+["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm

const folderOf = (name: string, inside: string): string => {
  const [first, ...rest] = inside.split("/")
  if (rest.length > 0) return first ?? ""
  return entries[name]?.includes(inside) ? "entry" : "vocabulary"
}

/** Comments hold examples that import by package name. */
const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, "")

const sources: ReadonlyArray<SourceFile> = Object.keys(packages).flatMap((name) => {
  const src = path.join(root, "packages", name, "src")
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => {
      const code = withoutComments(readFileSync(path.join(src, file), "utf8"))
      return {
        package: name,
        path: `packages/${name}/src/${file}`,
        folder: folderOf(name, file),
        imports: [...code.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? ""),
        code
      }
    })
})

const resolved = (file: SourceFile, target: string): string =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file.path), target))

const byPath = new Map(sources.map((file) => [file.path, file]))

describe("imports", () => {
  it("go from each package only to those below it", () => {
    const wrong = sources.flatMap((file) =>
      file.imports
        .filter((target) => target.startsWith("@treadle/"))
        .map((target) => target.split("/")[1] ?? "")
        .filter((target) => target !== file.package && !packages[file.package]?.includes(target))
        .map((target) => `${file.path} imports @treadle/${target}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("go from each folder only to those that its row names", () => {
    const wrong = sources.flatMap((file) =>
      file.imports
        .filter((target) => target.startsWith("."))
        .flatMap((target) => {
          const to = byPath.get(resolved(file, target))
          if (to === undefined) return [`${file.path} imports ${target}, which is no source file`]
          const allowed = folders[file.package]?.[file.folder]
          if (allowed === undefined) return [`${file.path} is in a folder without a row: ${file.folder}`]
          return to.folder === file.folder || allowed.includes(to.folder) ? [] : [`${file.path} imports ${to.path}`]
        })
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("go from each room of an engine only to those that its row names", () => {
    const roomOf = (file: SourceFile): string | undefined => {
      if (file.folder !== "engine") return undefined
      const [, room] = /^packages\/\w+\/src\/engine\/(?:(.*)\/)?[^/]+$/.exec(file.path) ?? []
      return room ?? "engine"
    }
    const wrong = sources.flatMap((file) => {
      const room = roomOf(file)
      return file.imports.flatMap((target) => {
        const to = target.startsWith(".") ? byPath.get(resolved(file, target)) : undefined
        const other = to === undefined ? undefined : roomOf(to)
        const allowed = room === undefined ? undefined : rooms[file.package]?.[room]
        return room === undefined || other === undefined || other === room || allowed?.includes(other) === true
          ? []
          : [`${file.path} imports ${target}`]
      })
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("leave HTTP to the transport and the envelope: the engine reads no header", () => {
    const wrong = sources
      .filter((file) => file.package === "server" && file.folder === "engine")
      .filter((file) => /\.header\b|\bHeaderName\b|\btrimHeaderValue\b|\bLast-Event|\bMcp-|\.http\b/.test(file.code))
      .map((file) => file.path)
    assert.deepStrictEqual(wrong, [])
  })

  it("form no cycle", () => {
    const cycles: Array<string> = []
    const done = new Set<string>()
    const visit = (file: SourceFile, trail: ReadonlyArray<string>) => {
      if (trail.includes(file.path)) {
        cycles.push([...trail.slice(trail.indexOf(file.path)), file.path].join(" > "))
        return
      }
      if (done.has(file.path)) return
      for (const target of file.imports) {
        const to = target.startsWith(".") ? byPath.get(resolved(file, target)) : undefined
        if (to !== undefined) visit(to, [...trail, file.path])
      }
      done.add(file.path)
    }
    for (const file of sources) visit(file, [])
    assert.deepStrictEqual(cycles, [])
  })

  it("load heavy modules of Effect, and Node's own, only where they are the point", () => {
    const wrong = sources.flatMap((file) =>
      file.imports.flatMap((target) =>
        heavy
          .filter(({ module, only }) => module.test(target) && !only.test(file.path))
          .map(() => `${file.path} imports ${target}`)
      )
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("read a table that has a row for every folder", () => {
    const rows = sources.map((file) => `${file.package}/${file.folder}`)
    const known = new Set(
      Object.entries(folders).flatMap(([name, table]) => Object.keys(table).map((folder) => `${name}/${folder}`))
    )
    assert.deepStrictEqual(
      [...new Set(rows)].filter((row) => !known.has(row)),
      []
    )
  })
})

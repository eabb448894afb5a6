/**
 * Every real server over every transport and revision that it speaks.
 */
import path from "node:path"
import { pathToFileURL } from "node:url"
import type { ElicitResult } from "@treadle/protocol/schema"
import type { Answers } from "../../src/index.ts"
import { fixture } from "./serverProcess.ts"
import { Cannot, notOffered, type Cells, type Row } from "./serverCells.ts"

const published = (name: string): string =>
  path.resolve(import.meta.dirname, "../../../../node_modules/@modelcontextprotocol", name, "dist/index.js")

/** Fills in every form alike. */
const filledIn = (content: NonNullable<ElicitResult["content"]>): Answers => ({
  form: () => ({ action: "accept", content })
})

/** What all programs in `servers/` serve alike. */
export const boxOffice = {
  tools: ["get_show", "ping", "steps", "wait", "ask", "grow", "touch"],
  call: { tool: "ping", text: "pong" },
  structured: { tool: "get_show", args: { id: 1 }, value: { id: 1, title: "Hämlet 😀" } },
  failed: { tool: "get_show", args: { id: 9 }, text: "no show 9" },
  progress: { tool: "steps", done: [1, 2, 3] },
  givenUp: { tool: "wait", heard: true },
  resources: { all: ["box://board"], one: { uri: "box://board", text: /^board \d$/ } },
  templates: { all: ["box://shows/{id}"], one: { uri: "box://shows/7", text: "show 7" } },
  prompts: { all: ["bill"], one: { name: "bill", args: { title: "Faust" }, text: "Sell Faust" } },
  completed: { prompt: "bill", argument: "title", typed: "H", values: ["Hamlet", "Henry V"] },
  listChanged: { list: "tools", tool: "grow" },
  updated: { uri: "box://board", tool: "touch" },
  asked: { tool: "ask", answers: filledIn({ seats: 3 }), text: "3 seats" }
} satisfies Partial<Cells>

const official = (version: string) => ({ ...boxOffice, server: { name: "official", version } })

/** Version 2 of the official SDK. */
const sdkV2 = (): ReadonlyArray<Row> => {
  const base = { name: "official SDK 2.4", program: fixture("sdk-v2"), pinned: false } as const
  const native = { ...base, version: "2026-07-28" } as const
  const compat = { ...base, version: "2025-11-25", pinned: true } as const
  const stdio = { transport: "stdio", args: ["stdio"] } as const
  const http = { transport: "HTTP", args: ["http"], path: "/mcp" } as const
  const cells = official("2.4.0")
  const stateless = {
    givenUp: { tool: "wait", heard: new Cannot("each request has a server of its own, which knows no other request") },
    listChanged: new Cannot("without sessions there is no stream on which it could be told"),
    updated: new Cannot("without sessions there is no stream on which it could be told"),
    asked: new Cannot("without sessions it forgets what the client can be asked")
  } as const
  return [
    { ...native, ...stdio, ends: "process", cells },
    { ...native, ...http, ends: "requests", cells },
    { ...compat, ...stdio, ends: "process", cells },
    { ...compat, ...http, name: `${base.name} without sessions`, ends: "requests", cells: { ...cells, ...stateless } },
    { ...compat, ...http, args: ["sessions"], pinned: false, ends: "session", cells }
  ]
}

/** Version 1 of the official SDK. */
const sdkV1 = (): ReadonlyArray<Row> => {
  const base = { name: "official SDK 1.32", program: fixture("sdk-v1"), version: "2025-11-25", pinned: false } as const
  const cells = official("1.32.2")
  return [
    { ...base, transport: "stdio", args: ["stdio"], ends: "process", cells },
    { ...base, transport: "HTTP", args: ["http"], path: "/mcp", ends: "session", cells },
    { ...base, transport: "two endpoints", args: ["sse"], path: "/sse", ends: "requests", cells }
  ]
}

/** The server of `effect/ai`. Over HTTP it has no stream but those of the requests. */
const effectAi = (): ReadonlyArray<Row> => {
  const base = { name: "effect/ai 4.1", program: fixture("effect-ai"), pinned: false } as const
  const native = { ...base, version: "2026-07-28" } as const
  const compat = { ...base, version: "2025-11-25", pinned: true } as const
  const stdio = { transport: "stdio", args: ["stdio"] } as const
  const http = { transport: "HTTP", args: ["http"], path: "/mcp" } as const
  // It sends a declared failure as JSON.
  const failed = { ...boxOffice.failed, text: '"no show 9"' }
  const cells = { ...boxOffice, failed, server: { name: "effect", version: "4.1.0" } }
  return [
    { ...native, ...stdio, ends: "process", cells },
    { ...native, ...http, ends: "requests", cells },
    { ...compat, ...stdio, ends: "process", cells },
    { ...compat, ...http, ends: "session", cells: { ...cells, updated: notOffered } }
  ]
}

/** fastmcp, which tells of changed tools but does not say that it does. */
const fastmcp = (): ReadonlyArray<Row> => {
  const base = { name: "fastmcp 4.20", program: fixture("fastmcp"), version: "2025-11-25", pinned: false } as const
  const listChanged = { list: "prompts", tool: "grow" } as const
  const cells = { ...boxOffice, listChanged, server: { name: "fastmcp", version: "4.20.16" } }
  return [
    { ...base, transport: "stdio", args: ["stdio"], ends: "process", cells },
    { ...base, transport: "HTTP", args: ["http"], path: "/mcp", ends: "session", cells }
  ]
}

const everythingCells = {
  server: { name: "mcp-servers/everything", version: "2.0.0" },
  tools: [
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-resource-reference",
    "get-structured-content",
    "get-sum",
    "get-tiny-image",
    "gzip-file-as-resource",
    "toggle-simulated-logging",
    "toggle-subscriber-updates",
    "trigger-long-running-operation",
    "trigger-elicitation-request",
    "simulate-research-query"
  ],
  call: { tool: "echo", args: { message: "hi" }, text: "Echo: hi" },
  structured: {
    tool: "get-structured-content",
    args: { location: "Chicago" },
    value: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 }
  },
  failed: { tool: "get-structured-content", args: { location: "Rome" }, text: /Invalid option/ },
  progress: { tool: "trigger-long-running-operation", args: { duration: 0.3, steps: 3 }, done: [1, 2, 3] },
  givenUp: {
    tool: "trigger-long-running-operation",
    args: { duration: 2, steps: 20 },
    heard: new Cannot("its tool works on, and only its answer is dropped")
  },
  resources: {
    all: ["architecture", "extension", "features", "how-it-works", "instructions", "startup", "structure"].map(
      (name) => `demo://resource/static/document/${name}.md`
    ),
    one: { uri: "demo://resource/static/document/architecture.md", text: /^# Everything Server/ }
  },
  templates: {
    all: ["demo://resource/dynamic/text/{resourceId}", "demo://resource/dynamic/blob/{resourceId}"],
    one: { uri: "demo://resource/dynamic/text/7", text: /^Resource 7: / }
  },
  prompts: {
    all: ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"],
    one: { name: "args-prompt", args: { city: "Bonn" }, text: "What's weather in Bonn?" }
  },
  completed: {
    prompt: "completable-prompt",
    argument: "name",
    typed: "",
    chosen: { department: "Sales" },
    values: ["David", "Eve", "Frank"]
  },
  listChanged: {
    list: "resources",
    tool: "gzip-file-as-resource",
    args: { name: "board.gz", data: "data:text/plain,board" }
  },
  updated: { uri: "demo://resource/dynamic/text/7", tool: "toggle-subscriber-updates" },
  asked: { tool: "trigger-elicitation-request", answers: filledIn({ name: "Ada" }), text: /- Name: Ada/ }
} satisfies Partial<Cells>

/** `server-everything`. */
const everything = (): ReadonlyArray<Row> => {
  const program = published("server-everything")
  const base = { name: "server-everything 2026.8", program, version: "2025-11-25", pinned: false } as const
  const cells = everythingCells
  return [
    { ...base, transport: "stdio", args: ["stdio"], ends: "process", cells },
    { ...base, transport: "HTTP", args: ["streamableHttp"], path: "/mcp", ends: "session", cells },
    { ...base, transport: "two endpoints", args: ["sse"], path: "/sse", ends: "requests", cells }
  ]
}

/**
 * `server-filesystem`.
 *
 * @param folder what it serves; it holds `bill.txt` and a folder `stage`, which the client has as a root
 */
const filesystem = (folder: string): Row => ({
  name: "server-filesystem 2026.8",
  program: published("server-filesystem"),
  args: [folder],
  transport: "stdio",
  version: "2025-11-25",
  pinned: false,
  ends: "process",
  cells: {
    server: { name: "secure-filesystem-server", version: "0.2.0" },
    tools: [
      "read_file",
      "read_text_file",
      "read_media_file",
      "read_multiple_files",
      "write_file",
      "edit_file",
      "create_directory",
      "list_directory",
      "list_directory_with_sizes",
      "directory_tree",
      "move_file",
      "search_files",
      "get_file_info",
      "list_allowed_directories"
    ],
    call: { tool: "list_directory", args: { path: folder }, text: "[FILE] bill.txt\n[DIR] stage" },
    structured: {
      tool: "read_text_file",
      args: { path: path.join(folder, "bill.txt") },
      value: { content: "Hämlet 😀\n" }
    },
    failed: { tool: "read_text_file", args: { path: "/elsewhere" }, text: /Access denied/ },
    progress: new Cannot("none of its tools tells its progress"),
    givenUp: new Cannot("none of its tools lasts"),
    resources: notOffered,
    templates: notOffered,
    prompts: notOffered,
    completed: notOffered,
    listChanged: new Cannot("its tools do not change, and it has no other list"),
    updated: notOffered,
    asked: {
      tool: "list_allowed_directories",
      answers: { roots: [folder, path.join(folder, "stage")].map((root) => ({ uri: pathToFileURL(root).href })) },
      text: /[/\\]stage$/
    }
  }
})

const ada = { name: "Ada", entityType: "person", observations: ["sings"] }

/** `server-memory`. @param folder where it keeps its file */
const memory = (folder: string): Row => ({
  name: "server-memory 2026.8",
  program: published("server-memory"),
  args: [],
  env: { MEMORY_FILE_PATH: path.join(folder, "memory.jsonl") },
  transport: "stdio",
  version: "2025-11-25",
  pinned: false,
  ends: "process",
  cells: {
    server: { name: "memory-server", version: "0.6.3" },
    tools: [
      "create_entities",
      "create_relations",
      "add_observations",
      "delete_entities",
      "delete_observations",
      "delete_relations",
      "read_graph",
      "search_nodes",
      "open_nodes"
    ],
    call: { tool: "read_graph", text: /"entities": \[/ },
    structured: { tool: "create_entities", args: { entities: [ada] }, value: { entities: [ada] } },
    failed: {
      tool: "add_observations",
      args: { observations: [{ entityName: "Nobody", contents: [] }] },
      text: "Entity with name Nobody not found"
    },
    progress: new Cannot("none of its tools tells its progress"),
    givenUp: new Cannot("none of its tools lasts"),
    resources: {
      all: ["memory://knowledge-graph"],
      one: { uri: "memory://knowledge-graph", text: /"relations": \[\]/ }
    },
    templates: notOffered,
    prompts: notOffered,
    completed: notOffered,
    listChanged: new Cannot("its lists do not change"),
    updated: { uri: "memory://knowledge-graph", tool: "delete_entities", args: { entityNames: ["Ada"] } },
    asked: new Cannot("it asks nothing")
  }
})

/**
 * All rows.
 *
 * @param folder an empty folder but for `bill.txt` and a folder `stage`, for the servers that work on files
 */
export const serverRows = (folder: string): ReadonlyArray<Row> => [
  ...everything(),
  filesystem(folder),
  memory(folder),
  ...sdkV2(),
  ...sdkV1(),
  ...effectAi(),
  ...fastmcp()
]

/**
 * The columns of the table of real servers: each uses a session for one thing, and asserts what its cell says.
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { eraOf } from "@treadle/protocol/era"
import { textOf } from "@treadle/protocol/schema"
import type { McpError, McpSession, Watched } from "../../src/index.ts"
import { reasonOf } from "../fixtures.ts"
import type { Witness } from "./serverProcess.ts"
import {
  notOffered,
  type Asked,
  type Cells,
  type Completed,
  type GivenUp,
  type Listed,
  type ListChanged,
  type NotOffered,
  type Prompted,
  type Read,
  type Row,
  type TextUse,
  type ToolUse,
  type Updated
} from "./serverCells.ts"

/** Shows what a cell says. */
export type Column<Cell> = (cell: Cell, session: McpSession, witness: Witness) => Effect.Effect<void, unknown>

const fits = (text: string, expected: string | RegExp): void =>
  typeof expected === "string" ? assert.strictEqual(text, expected) : assert.match(text, expected)

/** A session that nobody told what to speak. */
export const opens: Column<Row["version"]> = (version, session) =>
  Effect.sync(() => assert.strictEqual(session.version, version))

export const speaks: Column<Pick<Row, "cells" | "version">> = ({ cells, version }, session) =>
  Effect.sync(() => {
    const { capabilities } = session
    assert.strictEqual(session.version, version)
    assert.strictEqual(session.era, eraOf(version))
    assert.deepInclude(session.server, cells.server)
    assert.isDefined(capabilities.tools)
    assert.strictEqual(capabilities.resources !== undefined, cells.resources !== notOffered)
    assert.strictEqual(capabilities.prompts !== undefined, cells.prompts !== notOffered)
    assert.strictEqual(capabilities.completions !== undefined, cells.completed !== notOffered)
  })

/** Fails before anything is sent. */
const isNotOffered = (asked: Effect.Effect<unknown, McpError>): Effect.Effect<void, unknown> =>
  Effect.map(reasonOf(asked), ({ _tag }) => assert.strictEqual(_tag, "NotOffered"))

/** Natively there is no ping. */
export const pings: Column<Row["version"]> = (version, session) =>
  eraOf(version) === "compat" ? session.ping() : isNotOffered(session.ping())

export const listsTools: Column<Cells["tools"]> = (expected, session) =>
  Effect.map(session.listTools(), (tools) =>
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      expected
    )
  )

export const calls: Column<TextUse> = ({ args, text, tool }, session) =>
  Effect.map(session.callTool(tool, args), ({ content, isError }) => {
    assert.notStrictEqual(isError, true)
    fits(textOf(content), text)
  })

export const readsStructured: Column<Cells["structured"]> = ({ args, tool, value }, session) =>
  Effect.map(session.callTool(tool, args), ({ structuredContent }) => assert.deepStrictEqual(structuredContent, value))

export const readsFailure: Column<TextUse> = ({ args, text, tool }, session) =>
  Effect.map(session.callTool(tool, args), ({ content, isError }) => {
    assert.isTrue(isError)
    fits(textOf(content), text)
  })

export const hearsProgress: Column<ToolUse & { readonly done: ReadonlyArray<number> }> = (
  { args, done, tool },
  session
) =>
  Effect.suspend(() => {
    const heard: Array<number> = []
    const called = session.callTool(tool, args, { onProgress: ({ done }) => heard.push(done) })
    return Effect.map(called, () => assert.deepStrictEqual(heard, done))
  })

/** Gives a call up once it runs, which it tells by its progress or on the errors output. */
export const givesUp: Column<GivenUp & { readonly next: TextUse }> = ({ args, heard, next, tool }, session, witness) =>
  Effect.gen(function* () {
    const runs = yield* Deferred.make<unknown>()
    const called = session.callTool(tool, args, { onProgress: () => Deferred.doneUnsafe(runs, Effect.void) })
    const fiber = yield* Effect.forkChild(called, { startImmediately: true })
    yield* Effect.raceFirst(
      Deferred.await(runs),
      witness.until(({ text }) => text.includes("waiting"))
    )
    yield* Fiber.interrupt(fiber)
    if (heard === true) yield* witness.until(({ text }) => text.includes("aborted"))
    yield* calls(next, session, witness)
  })

const readsText = (session: McpSession, { text, uri }: Read) =>
  Effect.map(session.readResource(uri), ({ contents: [first] }) => {
    assert(first !== undefined && "text" in first)
    assert.strictEqual(first.uri, uri)
    fits(first.text, text)
  })

export const readsResources: Column<Listed<Read>> = ({ all, one }, session) =>
  Effect.gen(function* () {
    const resources = yield* session.listResources()
    assert.deepStrictEqual(
      resources.map(({ uri }) => uri),
      all
    )
    yield* readsText(session, one)
  })

export const hasNoResources: Column<NotOffered> = (_, session) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* session.listResources(), [])
    yield* isNotOffered(session.readResource("box://board"))
  })

export const readsTemplates: Column<Listed<Read>> = ({ all, one }, session) =>
  Effect.gen(function* () {
    const templates = yield* session.listTemplates()
    assert.deepStrictEqual(
      templates.map(({ uriTemplate }) => uriTemplate),
      all
    )
    yield* readsText(session, one)
  })

export const hasNoTemplates: Column<NotOffered> = (_, session) =>
  Effect.map(session.listTemplates(), (templates) => assert.deepStrictEqual(templates, []))

export const getsPrompts: Column<Listed<Prompted>> = ({ all, one }, session) =>
  Effect.gen(function* () {
    const prompts = yield* session.listPrompts()
    assert.deepStrictEqual(
      prompts.map(({ name }) => name),
      all
    )
    const { messages } = yield* session.getPrompt(one.name, one.args)
    assert.deepStrictEqual(messages[0]?.content, { type: "text", text: one.text })
  })

export const hasNoPrompts: Column<NotOffered> = (_, session) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* session.listPrompts(), [])
    yield* isNotOffered(session.getPrompt("bill"))
  })

export const completes: Column<Completed> = ({ argument, chosen, prompt, typed, values }, session) =>
  Effect.gen(function* () {
    const { completion } = yield* session.complete(
      { type: "ref/prompt", name: prompt },
      { name: argument, value: typed },
      chosen
    )
    assert.deepStrictEqual(completion.values, values)
  })

export const hasNoCompletions: Column<NotOffered> = (_, session) =>
  isNotOffered(session.complete({ type: "ref/prompt", name: "bill" }, { name: "title", value: "" }))

const lengths = {
  tools: (session: McpSession) => Effect.map(session.listTools(), ({ length }) => length),
  prompts: (session: McpSession) => Effect.map(session.listPrompts(), ({ length }) => length),
  resources: (session: McpSession) => Effect.map(session.listResources(), ({ length }) => length)
} as const

const tags = { tools: "ToolsChanged", prompts: "PromptsChanged", resources: "ResourcesChanged" } as const

/** What comes of a watch when a tool was called. */
const hears = (session: McpSession, watched: Watched, { args, tool }: ToolUse) =>
  Effect.scoped(
    Effect.gen(function* () {
      const changes = yield* session.watch(watched)
      yield* session.callTool(tool, args)
      return yield* Stream.runCollect(Stream.take(changes, 1))
    })
  )

/** The list is longer once it is fetched anew. */
export const hearsList: Column<ListChanged> = ({ list, ...use }, session) =>
  Effect.gen(function* () {
    const before = yield* lengths[list](session)
    const heard = yield* hears(session, { [list]: true }, use)
    assert.deepStrictEqual(heard, [{ _tag: tags[list], missed: false }])
    assert.strictEqual(yield* lengths[list](session), before + 1)
  })

export const hearsUpdate: Column<Updated> = ({ uri, ...use }, session) =>
  Effect.map(hears(session, { uris: [uri] }, use), (heard) =>
    assert.deepStrictEqual(heard, [{ _tag: "ResourceUpdated", uri, missed: false }])
  )

export const hasNoUpdates: Column<NotOffered> = (_, session) =>
  isNotOffered(Effect.scoped(session.watch({ uris: ["box://board"] })))

/** The session was opened with the answer. */
export const answers: Column<Asked> = calls

/**
 * The columns of the table of real servers: each uses a session for one thing, and asserts what its cell says.
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ClientRequest, textOf } from "@treadle/protocol/schema"
import type { McpSession } from "../../src/index.ts"
import type { Witness } from "./serverProcess.ts"
import type { Cells, Completed, GivenUp, Listed, Prompted, Read, Row, TextUse, ToolUse } from "./serverCells.ts"

/** Shows what a cell says. */
export type Column<Cell> = (cell: Cell, session: McpSession, witness: Witness) => Effect.Effect<void, unknown>

const fits = (text: string, expected: string | RegExp): void =>
  typeof expected === "string" ? assert.strictEqual(text, expected) : assert.match(text, expected)

export const opens: Column<Pick<Row, "version"> & Pick<Cells, "server">> = ({ server, version }, session) =>
  Effect.sync(() => {
    assert.strictEqual(session.version, version)
    assert.deepInclude(session.server, server)
  })

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
  Effect.map(session.request(ClientRequest.readResource(uri)), (result) => {
    assert("contents" in result)
    const [first] = result.contents
    assert(first !== undefined && "text" in first)
    assert.strictEqual(first.uri, uri)
    fits(first.text, text)
  })

export const readsResources: Column<Listed<Read>> = ({ all, one }, session) =>
  Effect.gen(function* () {
    const { resources } = yield* session.request(ClientRequest.listResources())
    assert.deepStrictEqual(
      resources.map(({ uri }) => uri),
      all
    )
    yield* readsText(session, one)
  })

export const readsTemplates: Column<Listed<Read>> = ({ all, one }, session) =>
  Effect.gen(function* () {
    const { resourceTemplates } = yield* session.request(ClientRequest.listTemplates())
    assert.deepStrictEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      all
    )
    yield* readsText(session, one)
  })

export const getsPrompts: Column<Listed<Prompted>> = ({ all, one }, session) =>
  Effect.gen(function* () {
    const { prompts } = yield* session.request(ClientRequest.listPrompts())
    assert.deepStrictEqual(
      prompts.map(({ name }) => name),
      all
    )
    const result = yield* session.request(ClientRequest.getPrompt(one.name, one.args))
    assert("messages" in result)
    assert.deepStrictEqual(result.messages[0]?.content, { type: "text", text: one.text })
  })

export const completes: Column<Completed> = ({ argument, chosen, prompt, typed, values }, session) =>
  Effect.gen(function* () {
    const ref = { type: "ref/prompt", name: prompt } as const
    const request = ClientRequest.complete(ref, { name: argument, value: typed }, chosen)
    const { completion } = yield* session.request(request)
    assert.deepStrictEqual(completion.values, values)
  })

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** After the session has closed: nothing of it is left at the server. */
export const leavesNothing = (ends: Cells["ends"], witness: Witness): Effect.Effect<void> =>
  ends === "process"
    ? Effect.sync(() => {
        assert.isAbove(witness.said.pid, 0)
        assert.isFalse(isAlive(witness.said.pid))
      })
    : Effect.asVoid(
        witness.until(({ methods, open }) => open === 0 && methods.includes("DELETE") === (ends === "session"))
      )

/**
 * The table of real servers: each over its transports and revisions, used by a session for everything that it offers.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll } from "vitest"
import type { McpSession } from "../../src/index.ts"
import * as columns from "./serverColumns.ts"
import { serverRows } from "./serverRows.ts"
import { started, Witness } from "./serverProcess.ts"
import { Cannot, notOffered, type NotOffered } from "./serverCells.ts"

const folder = mkdtempSync(path.join(tmpdir(), "treadle-servers-"))
writeFileSync(path.join(folder, "bill.txt"), "Hämlet 😀\n")
afterAll(() => rmSync(folder, { recursive: true }))

/** The client opens no session in a compat revision yet. */
const rows = serverRows(folder).filter(({ version }) => version === "2026-07-28")

describe.each(rows)("$name over $transport in $version", (row) => {
  const { cells, version } = row
  const witness = new Witness()
  const server = Scope.makeUnsafe()
  const connection = Scope.makeUnsafe()
  let opened: McpSession | undefined

  beforeAll(async () => {
    const open = await Effect.runPromise(Scope.provide(started(row, witness), server))
    opened = await Effect.runPromise(Scope.provide(open, connection))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(connection, Exit.void))
    await Effect.runPromise(Scope.close(server, Exit.void))
  })

  /** A test of a cell; of one that cannot be shown, why. */
  const cell = <Cell>(name: string, value: Cell | Cannot | NotOffered, column: columns.Column<Cell>) => {
    if (value instanceof Cannot) return it.skip(`${name}: ${value.why}`, () => {})
    if (value === notOffered) return it.skip(`${name}: the server does not offer it`, () => {})
    return it.live(name, () => {
      assert(opened)
      return column(value, opened, witness)
    })
  }

  cell("opens in the expected revision", { version, server: cells.server }, columns.opens)
  cell("lists its tools", cells.tools, columns.listsTools)
  cell("calls a tool", cells.call, columns.calls)
  cell("reads a structured result", cells.structured, columns.readsStructured)
  cell("reads a failed result", cells.failed, columns.readsFailure)
  cell("hears of progress", cells.progress, columns.hearsProgress)
  const { givenUp } = cells
  cell(
    "gives up a call and makes the next one",
    givenUp instanceof Cannot ? givenUp : { ...givenUp, next: cells.call },
    columns.givesUp
  )
  cell("lists resources and reads one", cells.resources, columns.readsResources)
  cell("lists templates and reads a resource of one", cells.templates, columns.readsTemplates)
  cell("lists prompts and gets one", cells.prompts, columns.getsPrompts)
  cell("completes an argument", cells.completed, columns.completes)
  it.todo("hears that a list changed")
  it.todo("hears that a resource changed")
  it.todo("answers a question")
  it.live("leaves nothing behind", () =>
    Effect.andThen(Scope.close(connection, Exit.void), columns.leavesNothing(cells.ends, witness))
  )
})

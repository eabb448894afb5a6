/**
 * A row of the table as tests: one session, and in each column what it must show.
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll } from "vitest"
import type { ClientSettings, McpError, McpSession } from "../../src/index.ts"
import { EraMemory, makeEraMemory } from "../../src/EraMemory.ts"
import { Cannot, notOffered, type NotOffered, type Row } from "./serverCells.ts"
import * as columns from "./serverColumns.ts"
import type { Witness } from "./serverProcess.ts"

/** A server that was started. */
export interface Started {
  /** Opens a session with it. */
  readonly open: Effect.Effect<McpSession, McpError, Scope.Scope>
  /** Waits until nothing of a session that has closed is left at the server. */
  readonly quiet: Effect.Effect<unknown>
}

/** Starts a server. */
export type Start = (settings: ClientSettings) => Effect.Effect<Started, never, Scope.Scope>

const isPinned = new Cannot(
  "it is asked for; by itself a session opens in another revision, which has a row of its own"
)

/** What of a row its tests depend on. */
type Shown = Pick<Row, "cells" | "pinned" | "version">

/**
 * The tests of a row.
 *
 * @param witness hears what the server says of itself
 * @param further columns of this row alone
 */
export const shows = (
  row: Shown,
  witness: Witness,
  start: Start,
  further: { readonly [name: string]: columns.Column<undefined> } = {}
): void => {
  const { cells, pinned, version } = row
  const server = Scope.makeUnsafe()
  const connection = Scope.makeUnsafe()
  let opened: McpSession | undefined
  let quiet: Effect.Effect<unknown> = Effect.void

  beforeAll(async () => {
    const { asked } = cells
    const settings: ClientSettings = {
      ...(pinned ? { revision: version } : {}),
      ...(asked instanceof Cannot ? {} : { answers: asked.answers })
    }
    const started = await Effect.runPromise(Scope.provide(start(settings), server))
    quiet = started.quiet
    const alone = Effect.provideService(started.open, EraMemory, makeEraMemory())
    opened = await Effect.runPromise(Scope.provide(alone, connection))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(connection, Exit.void))
    await Effect.runPromise(Scope.close(server, Exit.void))
  })

  /** A test of a cell; of one that cannot be shown, why. */
  const cell = <Cell>(name: string, value: Cell | Cannot, column: columns.Column<Cell>) => {
    if (value instanceof Cannot) return it.skip(`${name}: ${value.why}`, () => {})
    return it.live(name, () => {
      assert(opened)
      return column(value, opened, witness)
    })
  }
  /** @param none what a session shows whose server does not offer it */
  const offer = <Cell>(
    name: string,
    value: Cell | Cannot | NotOffered,
    column: columns.Column<Cell>,
    none: columns.Column<NotOffered>
  ) => (value === notOffered ? cell(`${name}: none, and it does not ask`, notOffered, none) : cell(name, value, column))

  const { givenUp } = cells
  const next = cells.call
  cell("opens by itself", pinned ? isPinned : version, columns.opens)
  cell("speaks the expected revision", row, columns.speaks)
  cell("answers a ping, or has none", version, columns.pings)
  cell("lists its tools", cells.tools, columns.listsTools)
  cell("calls a tool", cells.call, columns.calls)
  cell("reads a structured result", cells.structured, columns.readsStructured)
  cell("reads a failed result", cells.failed, columns.readsFailure)
  cell("hears of progress", cells.progress, columns.hearsProgress)
  cell("gives up a call", givenUp instanceof Cannot ? givenUp : { ...givenUp, next }, columns.givesUp)
  offer("reads resources", cells.resources, columns.readsResources, columns.hasNoResources)
  offer("reads a resource of a template", cells.templates, columns.readsTemplates, columns.hasNoTemplates)
  offer("gets prompts", cells.prompts, columns.getsPrompts, columns.hasNoPrompts)
  offer("completes an argument", cells.completed, columns.completes, columns.hasNoCompletions)
  cell("hears that a list changed", cells.listChanged, columns.hearsList)
  offer("hears that a resource changed", cells.updated, columns.hearsUpdate, columns.hasNoUpdates)
  cell("answers a question", cells.asked, columns.answers)
  for (const [name, column] of Object.entries(further)) cell(name, undefined, column)
  it.live("leaves nothing behind", () =>
    Effect.andThen(
      Scope.close(connection, Exit.void),
      Effect.suspend(() => quiet)
    )
  )
}

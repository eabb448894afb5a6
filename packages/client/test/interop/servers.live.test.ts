/**
 * The table of real servers: each over its transports and revisions, used by a session for everything that it offers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe } from "vitest"
import { leavesNothing, started, Witness } from "./serverProcess.ts"
import { serverRows } from "./serverRows.ts"
import { shows } from "./serverTable.ts"

const folder = mkdtempSync(path.join(tmpdir(), "treadle-servers-"))
mkdirSync(path.join(folder, "stage"))
writeFileSync(path.join(folder, "bill.txt"), "Hämlet 😀\n")
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(serverRows(folder))("$name over $transport in $version", (row) => {
  const witness = new Witness()
  const quiet = leavesNothing(row.ends, witness)
  shows(row, witness, (settings) => Effect.map(started(row, witness, settings), (open) => ({ open, quiet })))
})

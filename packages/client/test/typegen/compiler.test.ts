/**
 * What the compiler says of written contracts and of programs that use one: right programs compile, and unknown tools,
 * unknown arguments and values of another type do not.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Tool } from "@treadle/protocol/schema"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { contractOf } from "../../src/typegen/index.ts"
import { diagnosed } from "./generated.ts"
import { extremeTools, hostileTools, listedTool } from "./hostileSchemas.ts"

const id = { type: "integer" }
const tag = (name: string) => ({ type: "string", enum: [name] })

const tools: ReadonlyArray<Tool> = [
  listedTool(
    "get_show",
    { properties: { id, lang: { type: "string", enum: ["en", "fr"], default: "en" } }, required: ["id"] },
    {
      outputSchema: {
        type: "object",
        anyOf: [
          { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
          { type: "object", properties: { _tag: tag("ShowNotFound"), id }, required: ["_tag", "id"] }
        ]
      }
    }
  ),
  listedTool("tree/walk", {
    properties: { root: { $ref: "#/$defs/Node" } },
    required: ["root"],
    $defs: {
      Node: {
        type: "object",
        properties: {
          name: { type: "string" },
          kids: { type: "array", items: { $ref: "#/$defs/Node" } },
          pair: { type: "array", prefixItems: [{ type: ["string", "null"] }, { type: "object" }], items: false }
        },
        required: ["name"]
      }
    }
  }),
  listedTool("ping", { additionalProperties: false }, { description: "Schema.Is is it up" })
]

const start = `import { contract, getShow, ShowNotFound, type Node } from "./contract.ts"
import { connect } from "@treadle/client/promise"
const box = (await connect("http://localhost/mcp")).bind(contract)
`

/** Programs, each with what the compiler says of its last line, or nothing. */
const programs: { readonly [program: string]: string | undefined } = {
  'export const title: string = (await box.getShow({ id: 1, lang: "fr" })).title': undefined,
  'export const name: "get_show" = getShow.name': undefined,
  "void box.getShow({ id: 1 }), box.ping()": undefined,
  'const got = await box.getShow.settled({ id: 1 }); if (!got.ok && got.error._tag === "ShowNotFound") throw new ShowNotFound({ id: got.error.id })':
    undefined,
  'const root: Node = { name: "a", kids: [{ name: "b", pair: [null, {}] }] }; void box.treeWalk({ root })': undefined,
  "void box.getShows({ id: 1 })": "Property 'getShows' does not exist",
  "void box.getShow({ id: 1, idd: 2 })": "'idd' does not exist in type",
  'void box.getShow({ id: "1" })': "Type 'string' is not assignable to type 'number'",
  "void box.getShow({})": "Property 'id' is missing",
  'void box.getShow({ id: 1, lang: "de" })': `Type '"de"' is not assignable to type '"en" | "fr"`,
  "export const n: number = (await box.getShow({ id: 1 })).title": "Type 'string' is not assignable to type 'number'",
  'void box.treeWalk({ root: { name: "a", kids: [{ name: 2 }] } })': "Type 'number' is not assignable to type 'string'",
  'const got = await box.getShow.settled({ id: 1 }); export const no = !got.ok && got.error._tag === "SoldOut"':
    "have no overlap",
  "void box.ping({ loud: true })": "Type 'true' is not assignable to type 'never'"
}

const files = Object.keys(programs).map((program, at) => [`program${at}.ts`, program] as const)

describe("the compiler", () => {
  let said: ReturnType<typeof diagnosed> = {}

  beforeAll(() => {
    const lists = Effect.runSync(Arbitrary.sampleEffect(hostileTools, { count: 60, seed: 20_260_728 }))
    said = diagnosed({
      "contract.ts": contractOf(tools).text,
      "none.ts": contractOf([]).text,
      "extreme.ts": contractOf(extremeTools).text,
      ...Object.fromEntries(files.map(([name, program]) => [name, start + program])),
      ...Object.fromEntries(lists.map((tools, at) => [`hostile${at}.ts`, contractOf(tools).text]))
    })
  }, 300_000)

  it("takes every contract that is written, of whatever list", () => {
    const wrong = Object.entries(said).filter(([name]) => !name.startsWith("program"))
    assert.deepStrictEqual(wrong, [])
  })

  it.each(files)("of %s: %s", (name, program) => {
    const sentence = programs[program]
    const messages = Object.entries(said[name] ?? {}).filter(([, text]) => !text.includes("never read"))
    if (sentence === undefined) assert.deepStrictEqual(messages, [])
    else {
      assert.deepStrictEqual(
        messages.map(([line]) => line),
        ["4"],
        messages.join()
      )
      assert.include(messages.join(), sentence)
    }
  })
})

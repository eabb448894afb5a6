import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { eraOf, negotiated, protocolVersions, revisionOf } from "@treadle/protocol/era"

const compat = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

const link = { type: "resource_link", uri: "file:///a.txt", name: "a", mimeType: "text/plain" }
const audio = { type: "audio", data: "AA==", mimeType: "audio/wav" }
const others = [
  { type: "text", text: "x", annotations: { priority: 1 } },
  { type: "image", data: "AA==", mimeType: "image/png" },
  { type: "resource", resource: { uri: "file:///a.txt", text: "x" } },
  { type: "com.example/own", audio: true }
]

const words = (text: string) => ({ type: "text", text })

/** Revision, era, whether arrays of messages may travel, a link and audio as it has them. */
const rows = [
  ["2026-07-28", "native", false, link, audio],
  ["2025-11-25", "compat", false, link, audio],
  ["2025-06-18", "compat", false, link, audio],
  ["2025-03-26", "compat", true, words("a: file:///a.txt"), audio],
  ["2024-11-05", "compat", false, words("a: file:///a.txt"), words("[audio, audio/wav]")]
] as const

describe("A revision", () => {
  it.each(rows)("BASE-24 ERA-01 %s is what its specification says", (version, era, batches, linked, heard) => {
    const revision = revisionOf(version)
    assert(revision !== undefined)
    assert.deepStrictEqual(
      [revision.version, revision.era, revision.batches, eraOf(version)],
      [version, era, batches, era]
    )
    assert.deepStrictEqual([revision.block(link), revision.block(audio)], [linked, heard])
    for (const block of others) assert.strictEqual(revision.block(block), block)
    assert.strictEqual(revision.rewrites, linked !== link || heard !== audio, "printed results may stay printed")
  })

  it.each([
    ["2026-07-28", { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }],
    ["2025-11-25", { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }],
    ["2025-06-18", { elicitation: { form: {} }, sampling: { context: {} }, roots: {} }],
    ["2025-03-26", { sampling: { context: {} }, roots: {} }],
    ["2024-11-05", { sampling: { context: {} }, roots: {} }]
  ])("INIT-09 ELIC-02 SAMP-02 %s asks a client for what it has itself", (version, able) => {
    const declared = { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }
    const revision = revisionOf(version)
    assert.deepStrictEqual(revision?.able(declared), able)
    assert.deepStrictEqual(revision?.able({}), {})
  })

  it.each([
    ["2025-11-25", { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }],
    ["2025-06-18", { elicitation: { form: {} }, sampling: { context: {} }, roots: {} }],
    ["2025-03-26", { sampling: { context: {} }, roots: {} }],
    ["2024-11-05", { sampling: { context: {} }, roots: {} }]
  ])("INIT-09 %s keeps nothing for a session but what its client can be asked", (version, able) => {
    const large = { note: "x" }
    const declared = {
      elicitation: { form: large, url: large, later: large },
      sampling: { tools: large, later: large },
      roots: { listChanged: true },
      experimental: { "com.example/a": large },
      extensions: { "com.example/b": large },
      later: large
    }
    assert.deepStrictEqual(revisionOf(version)?.able(declared), able)
  })

  it.each([
    ["2026-07-28", "oneOf"],
    ["2025-11-25", "oneOf"],
    ["2025-06-18", "enumNames"],
    ["2025-03-26", "enumNames"],
    ["2024-11-05", "enumNames"]
  ])("ELIC-05 %s writes a form with the titles of choices as %s", (version, member) => {
    const form = revisionOf(version)?.form
    assert(form !== undefined)
    const choice = { type: "string", title: "Row", default: "b", enum: ["a", "b"] } as const
    const { enum: _, ...plain } = choice
    const titles = ["Front", "Back"]
    const newer = {
      ...plain,
      oneOf: [
        { const: "a", title: "Front" },
        { const: "b", title: "Back" }
      ]
    }
    const kept = { name: { type: "string" }, seats: { type: "integer", maximum: 9 }, row: choice } as const
    const wanted = { type: "object", properties: { ...kept, titled: newer }, required: ["name"] } as const
    const older = { ...wanted, properties: { ...kept, titled: { ...choice, enumNames: titles } } }
    assert.deepStrictEqual(form(wanted), Result.succeed(member === "oneOf" ? wanted : older))
    const days = { type: "array", items: { type: "string", enum: ["Fri"] } } as const
    const several = { ...wanted, properties: { days, row: choice, nights: days } }
    assert.deepStrictEqual(
      form(several),
      member === "oneOf" ? Result.succeed(several) : Result.fail(["days", "nights"])
    )
  })

  it("VER there is one for each version that is known, and for nothing else", () => {
    for (const version of protocolVersions) assert.strictEqual(revisionOf(version)?.version, version)
    for (const other of ["", "draft", "2025-11-26", "2025-11-25 ", "__proto__", "constructor", "toString"]) {
      assert.isUndefined(revisionOf(other), other)
    }
  })
})

describe("A handshake", () => {
  it.each(compat)("INIT-03 that asks for %s gets it", (version) => {
    assert.strictEqual(negotiated(version).version, version)
  })

  it("INIT-03 that asks for a native version, or one that is not known, gets the newest of its era", () => {
    for (const version of ["2026-07-28", "2027-01-01", "1999-01-01", "", "draft", "__proto__", " 2025-06-18"]) {
      assert.strictEqual(negotiated(version).version, "2025-11-25", version)
    }
  })
})

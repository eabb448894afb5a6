/**
 * Names that a header cannot carry as they are: whatever people call a prompt, a client reaches it over HTTP.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { encodeHeaderValue } from "@treadle/protocol/http"
import { rawRequest, wellFormedText } from "@treadle/testing"
import { empty } from "../fixtures/calling.ts"
import { httpDoors, type Fault } from "../fixtures/cells.ts"

const spaced = [" a", "a ", "\ta", "a b", "日本", "über", "=?base64?YQ==?=", "a\nb", "\u0000", "😀", "e\u0301"]

const getting = (name: string, header: string | undefined): Fault => ({
  mcp: empty().prompt(name, { description: "Tested" }, async () => `this is ${name}`),
  headers: { "mcp-method": "prompts/get", "mcp-name": header },
  message: () => rawRequest(7, "prompts/get", { name })
})

describe.each(httpDoors)("a name at the door on $name", ({ send }) => {
  it.effect("B076 HDR-08 HDR-11: of any Unicode text is served where the header has it encoded", () =>
    Effect.gen(function* () {
      const random = yield* Arbitrary.sampleEffect(wellFormedText, { count: 40 })
      for (const name of [...spaced, ...random.filter((one) => one !== "").slice(0, 20)]) {
        const byHand = `=?base64?${Buffer.from(name).toString("base64")}?=`
        for (const header of [byHand, encodeHeaderValue(name)]) {
          const seen = yield* Effect.scoped(send(getting(name, header)))
          assert.strictEqual(seen.status, 200, `${JSON.stringify(name)} as ${header}: ${seen.text}`)
          assert.strictEqual(seen.json.result.messages[0].content.text, `this is ${name}`)
        }
      }
    })
  )

  it.effect("B076 HDR-05: of another prompt, encoded or not, is refused", () =>
    Effect.gen(function* () {
      for (const header of [undefined, "", "uber", "=?base64?w7xiZXI=", Buffer.from("über").toString("latin1")]) {
        const seen = yield* Effect.scoped(send(getting("über", header)))
        assert.deepStrictEqual([seen.status, seen.json.error?.code], [400, -32020], String(header))
      }
    })
  )
})

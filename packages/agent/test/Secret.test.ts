/** Secrets by reference: what a text may say, and that nothing of a value is told. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Secret, SecretStore, type SecretReference, type SecretTemplate } from "@treadle/agent"
import { parseAmongOthers } from "../src/Secret.ts"

const parsed = (text: string): SecretTemplate => Result.getOrThrow(Secret.parse(text))
const problem = (text: string): string => Result.getOrThrow(Result.flip(Secret.parse(text))).message

const pieces = Arbitrary.schema(
  Schema.Array(
    Schema.Union([
      Schema.String,
      Schema.Literals(["{{", "}}", "{", "}", "secret:", "secret-file:", "{{secret:A}}", "{{secret-file:/run/b}}"])
    ])
  )
)

const printed = ({ parts }: SecretTemplate): string =>
  parts.map((part) => (typeof part === "string" ? part : Secret.print(part))).join("")

describe("a text of a program with templates of its own", () => {
  const among = (text: string) => Result.getOrThrow(parseAmongOthers(text)).parts

  it("keeps them, and has its references found between them", () => {
    for (const text of [
      "{{name}}",
      "{{ user.name | upper }}",
      "{{#if a}}x{{/if}}",
      "{{env:A}}",
      '{"a":{{x',
      "{{select}}"
    ]) {
      assert.deepStrictEqual(among(text), [text])
    }
    assert.deepStrictEqual(among("{{name}}:{{secret:A}}{{ {{ secret-file : /k }}"), [
      "{{name}}:",
      { kind: "secret", name: "A" },
      "{{ ",
      { kind: "secret-file", name: "/k" }
    ])
  })

  it("A164: is told of what was nearly a reference", () => {
    const slips = [
      "{{secrets:A}}",
      "{{sercet:A}}",
      "{{Secret:A}}",
      "{{secret}}",
      "{{secret_A}}",
      "{{secret:A",
      "{{secret:}}"
    ]
    for (const text of [...slips, "{{secret-flie:/k}}", "{{ secretfile: /k }}", "{{a}} {{secrte:A}}"]) {
      assert.isTrue(Result.isFailure(parseAmongOthers(text)), text)
    }
  })

  it.prop("is total, and is told of nothing that Secret.parse takes", [pieces], ([texts]) => {
    const text = texts.join("")
    const strict = Secret.parse(text)
    const loose = parseAmongOthers(text)
    if (Result.isSuccess(strict)) assert.deepStrictEqual(loose, strict)
  })
})

describe("Secret.parse", () => {
  it("finds the references of a text and keeps what is between them", () => {
    assert.deepStrictEqual(parsed("a {{secret:NAME}}{{secret-file:/run/secrets/x y.txt}} z").parts, [
      "a ",
      { kind: "secret", name: "NAME" },
      { kind: "secret-file", name: "/run/secrets/x y.txt" },
      " z"
    ])
  })

  it("takes a text without references as it is, the empty one and closing braces too", () => {
    for (const text of ["", "plain", "}} { }"]) assert.deepStrictEqual(parsed(text).parts, [text])
  })

  it("allows spaces inside the braces", () => {
    assert.deepStrictEqual(parsed("{{ secret : NAME }}").parts, [{ kind: "secret", name: "NAME" }])
  })

  it.prop("is total, and a template prints as a text that parses alike", [pieces], ([texts]) => {
    const result = Secret.parse(texts.join(""))
    if (Result.isFailure(result)) return
    assert.deepStrictEqual(parsed(printed(result.success)), result.success)
  })

  it("A164: tells what is wrong and where, and nothing of the text", () => {
    const told: ReadonlyArray<readonly [string, string]> = [
      ["ab {{secret:sk-hidden", "the braces at character 3 do not end; write {{secret:NAME}} or {{secret-file:PATH}}"],
      [
        "{{sk-hidden}}",
        "the reference at character 0 is of no known kind; there are {{secret:…}} and {{secret-file:…}}"
      ],
      [
        "{{env:sk-hidden}}",
        'the reference at character 0 is of the kind "env"; there are {{secret:…}} and {{secret-file:…}}'
      ],
      [
        "{{sk-hidden-0123456789:x}}",
        "the reference at character 0 is of no known kind; there are {{secret:…}} and {{secret-file:…}}"
      ],
      ["x{{secret: }}", "the reference at character 1 names nothing; write {{secret:NAME}}"],
      ["{{secret-file:}}", "the reference at character 0 names nothing; write {{secret-file:PATH}}"],
      ["{{secret:a{b}}", "the reference at character 0 has a name with a brace or a control character"],
      ["{{secret:a\nb}}", "the reference at character 0 has a name with a brace or a control character"]
    ]
    for (const [text, why] of told) {
      assert.strictEqual(problem(text), why)
      assert.notInclude(problem(text), "hidden")
    }
  })
})

describe("Secret.parseHeader", () => {
  it("A165: refuses a credential that is written out under a name that carries one", () => {
    const names = ["Authorization", "api-key", "X-API-KEY", "apikey", "token", "Password", "secret", "cookie"]
    const endings = ["x-auth-token", "auth_token", "signing-key", "my_key", "client-secret", "Proxy-Authorization"]
    for (const name of [...names, ...endings]) {
      const refused = Result.getOrThrow(Result.flip(Secret.parseHeader(name, "Bearer hidden")))
      assert.include(refused.message, `the header ${JSON.stringify(name)} carries a credential`)
      assert.notInclude(JSON.stringify(refused) + String(refused), "hidden")
      assert.isTrue(Result.isSuccess(Secret.parseHeader(name, "Bearer {{secret:A}}")), name)
    }
  })

  it("takes any value under other names", () => {
    for (const name of ["accept", "x-monkey", "tokens", "keyed", "x-keys", "secretary", "anthropic-version"]) {
      assert.isTrue(Result.isSuccess(Secret.parseHeader(name, "plain")), name)
    }
  })
})

describe("Secret.resolve", () => {
  const names = SecretStore.layerNames({ A: "alpha", B: Redacted.make("beta"), EMPTY: "" })
  const resolved = (text: string) => Secret.resolve(parsed(text)).pipe(Effect.provide(names))

  it.effect("puts the values where their references are", () =>
    Effect.gen(function* () {
      assert.strictEqual(Redacted.value(yield* resolved("a={{secret:A}};b={{secret:B}}.")), "a=alpha;b=beta.")
    })
  )

  it.effect("A166: gives what shows its references when it is printed, and no text", () =>
    Effect.gen(function* () {
      const value = yield* resolved("Basic {{secret:A}}")
      assert.strictEqual(String(value), "<redacted:{{secret:A}}>")
      assert.strictEqual(JSON.stringify({ value }), '{"value":"<redacted:{{secret:A}}>"}')
    })
  )

  it.effect("A164: fails naming the reference where the secret is missing or empty", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(resolved("{{secret:A}} {{secret:GONE}}"))
      assert.strictEqual(missing.message, "{{secret:GONE}} cannot be read: this store has no such secret; add it")
      assert.notInclude(JSON.stringify(missing), "alpha")
      const inherited = yield* Effect.flip(resolved("{{secret:toString}}"))
      assert.include(inherited.message, "no such secret")
      const empty = yield* Effect.flip(resolved("{{secret:EMPTY}}"))
      assert.strictEqual(empty.message, "{{secret:EMPTY}} cannot be read: it is empty")
      const file = yield* Effect.flip(resolved("{{secret-file:A}}"))
      assert.strictEqual(file.message, "{{secret-file:A}} cannot be read: this store has no such secret; add it")
    })
  )

  it.effect("A167: asks the store each time", () =>
    Effect.gen(function* () {
      const asked: Array<SecretReference> = []
      const counting = SecretStore.of({
        read: (reference) => {
          asked.push(reference)
          return Effect.succeed(Redacted.make(`value ${asked.length}`))
        }
      })
      const template = parsed("{{secret:A}}")
      const read = Effect.provideService(Secret.resolve(template), SecretStore, counting)
      assert.strictEqual(Redacted.value(yield* read), "value 1")
      assert.strictEqual(Redacted.value(yield* read), "value 2")
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { UriTemplate } from "@treadle/protocol/schema"
import { anyText, wellFormedText } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const parse = (source: string): UriTemplate => Result.getOrThrowWith(UriTemplate.parse(source), (why) => new Error(why))

type Variables = { readonly [name: string]: string }

/** RFC 6570 1.2 and 3.2, without prefixes and explosion. */
const values: Variables = {
  var: "value",
  hello: "Hello World!",
  path: "/foo/bar",
  empty: "",
  x: "1024",
  y: "768",
  half: "50%",
  who: "fred",
  base: "http://example.com/home/",
  v: "6",
  dom: "example.com",
  "dotted.name": "d"
}

describe("UriTemplate.expand", () => {
  it.each([
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{half}", "50%25"],
    ["O{empty}X", "OX"],
    ["O{undef}X", "OX"],
    ["{+var}", "value"],
    ["{+hello}", "Hello%20World!"],
    ["{+half}", "50%25"],
    ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
    ["{+base}index", "http://example.com/home/index"],
    ["O{+empty}X", "OX"],
    ["O{+undef}X", "OX"],
    ["{+path}/here", "/foo/bar/here"],
    ["here?ref={+path}", "here?ref=/foo/bar"],
    ["up{+path}{var}/here", "up/foo/barvalue/here"],
    ["X{#var}", "X#value"],
    ["X{#hello}", "X#Hello%20World!"],
    ["map?{x,y}", "map?1024,768"],
    ["{x,hello,y}", "1024,Hello%20World%21,768"],
    ["{x,empty}", "1024,"],
    ["{x,undef}", "1024"],
    ["{undef,y}", "768"],
    ["{+x,hello,y}", "1024,Hello%20World!,768"],
    ["{+path,x}/here", "/foo/bar,1024/here"],
    ["{#x,hello,y}", "#1024,Hello%20World!,768"],
    ["{#path,x}/here", "#/foo/bar,1024/here"],
    ["foo{#empty}", "foo#"],
    ["foo{#undef}", "foo"],
    ["X{.var}", "X.value"],
    ["X{.x,y}", "X.1024.768"],
    ["{.who}", ".fred"],
    ["{.half,who}", ".50%25.fred"],
    ["X{.empty}", "X."],
    ["X{.undef}", "X"],
    ["www{.dom}", "www.example.com"],
    ["{/var}", "/value"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{/var,empty}", "/value/"],
    ["{/var,undef}", "/value"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{;x,y,empty}", ";x=1024;y=768;empty"],
    ["{;v,empty,who}", ";v=6;empty;who=fred"],
    ["{;v,undef,who}", ";v=6;who=fred"],
    ["{?who}", "?who=fred"],
    ["{?x,y}", "?x=1024&y=768"],
    ["{?x,y,empty}", "?x=1024&y=768&empty="],
    ["{?x,y,undef}", "?x=1024&y=768"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{&x,y,empty}", "&x=1024&y=768&empty="],
    ["{dotted.name}", "d"],
    ["caf\u00e9 {var}", "caf%C3%A9%20value"]
  ])("RFC 6570 %s expands to %s", (source, uri) => {
    assert.strictEqual(parse(source).expand(values), uri)
  })

  it("takes own members of the variables only", () => {
    assert.strictEqual(parse("a:{toString}{?constructor}").expand({}), "a:")
  })

  it.prop("is total", [anyText, anyText], ([name, value]) => {
    for (const sign of ["", "+", "#", ".", "/", ";", "?", "&"])
      assert.match(parse(`a:{${sign}x}`).expand({ x: value, [name]: value }), /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/)
  })
})

describe("UriTemplate.parse", () => {
  it.each([
    ["a{", 'the "{" at 1 has no "}"'],
    ["a}b", 'a "}" at 1 has no "{"'],
    ["{a}}", 'a "}" at 3 has no "{"'],
    ["{}", '"{}" has no variable name where one is due (A-Z a-z 0-9 _ and dots between)'],
    ["{a,}", '"{a,}" has no variable name where one is due (A-Z a-z 0-9 _ and dots between)'],
    ["{a b}", '"{a b}" has no variable name where one is due (A-Z a-z 0-9 _ and dots between)'],
    ["{{a}}", '"{{a}" has no variable name where one is due (A-Z a-z 0-9 _ and dots between)'],
    ["{a:3}", '"{a:3}" uses a prefix or an explosion, which templates here do not have: name the whole variable'],
    ["{/a*}", '"{/a*}" uses a prefix or an explosion, which templates here do not have: name the whole variable'],
    ["{=a}", '"{=a}" starts with an operator that RFC 6570 keeps for later'],
    ["{|a}", '"{|a}" starts with an operator that RFC 6570 keeps for later'],
    ["{a}/{a}", 'the variable "a" is used twice'],
    [
      `{${Array.from({ length: 9999 }, (_, index) => `a${index}`).join(",")}}`,
      "a template has at most 64 variables, this one has 9999"
    ],
    ["{?a}x", "nothing but a fragment may follow the query expressions"],
    ["{?a}{b}", "nothing but a fragment may follow the query expressions"],
    ["{?a}#x{&b}", "a query expression may not stand in the fragment"]
  ])("RES-11 %.40s is refused by its rule", (source, why) => {
    assert.deepStrictEqual(UriTemplate.parse(source), Result.fail(why))
  })

  it.prop("is total, and what it admits names its variables", [anyText, templateText()], (sources) => {
    for (const source of sources) {
      const parsed = UriTemplate.parse(source)
      if (Result.isFailure(parsed)) assert.isAbove(parsed.failure.length, 0)
      else assert.strictEqual(parsed.success.source, source)
    }
  })

  it("names its variables in order", () => {
    assert.deepStrictEqual(parse("a://{x}/{y,z}{?q,r}{#f}").variables, ["x", "y", "z", "q", "r", "f"])
  })
})

/** Texts that almost are templates. */
function templateText() {
  const pieces = ["{", "}", "a", "b", ",", "?", "&", "#", "+", "/", ";", ".", "*", ":", "%", "%41", "é", "{a}", "{?b}"]
  return Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { maxLength: 12 }), (found) =>
    found.join("")
  )
}

const filled = Arbitrary.map(wellFormedText, (text) => (text === "" ? "x" : text))
const maybe = Arbitrary.map(Arbitrary.schema(Schema.UndefinedOr(Schema.String)), (text) =>
  text?.replaceAll(/\p{Surrogate}/gu, "\u{1F600}")
)
const order = Arbitrary.schema(Schema.Array(Schema.Finite))

/** What is there of some variables. */
const given = (variables: { readonly [name: string]: string | undefined }): Variables =>
  Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** Templates in which every set of variables has a URI of its own, and what their variables may be. */
const shapes: ReadonlyArray<readonly [string, (taken: Taken) => { readonly [name: string]: string | undefined }]> = [
  ["box://{a}", ({ a }) => ({ a })],
  ["https://box.example/shows/{a}/seats/{b}", ({ a, b }) => ({ a, b })],
  ["https://{a}.example/{b}{?c,d}", ({ a, b, c, d }) => ({ a, b, c, d })],
  ["x:{a,b}", ({ a, b }) => ({ a, b })],
  ["x:{a}{/c}", ({ a, c }) => ({ a, c })],
  ["x:{a}{/c}/end", ({ a, c }) => ({ a, c })],
  ["x:{a}{;c,d}", ({ a, c, d }) => ({ a, c, d })],
  ["x:{a}{;c,d}/z{?b,e}", ({ a, b, c, d, e }) => ({ a, b, c, d, e })],
  ["x:{a}{#c}", ({ a, c }) => ({ a, c })],
  ["x:{a}{?c,d}{#e}", ({ a, c, d, e }) => ({ a, c, d, e })],
  ["x:{a}?fixed=1&more=2{&c,d}", ({ a, c, d }) => ({ a, c, d })],
  ["x:{a}{?c}{&d}", ({ a, c, d }) => ({ a, c, d })],
  ["file:///{+a}", ({ a }) => ({ a })],
  ["file:///{+a}/{b}", ({ a, b }) => ({ a, b })],
  ["\u00e9://\u65e5/{a}", ({ a }) => ({ a })]
]

interface Taken {
  readonly a: string
  readonly b: string
  readonly c: string | undefined
  readonly d: string | undefined
  readonly e: string | undefined
}

const taken: Arbitrary.Arbitrary<Taken> = Arbitrary.map(
  Arbitrary.all([filled, filled, maybe, maybe, maybe]),
  ([a, b, c, d, e]) => ({ a, b, c, d, e })
)

describe("UriTemplate.match", () => {
  it.each(shapes)("inverts expansion of %s", (source, choose) => {
    const template = parse(source)
    const read = (variables: Taken) => {
      const chosen = choose(variables)
      assert.deepStrictEqual<unknown>({ ...template.match(template.expand(chosen)) }, given(chosen))
    }
    read({ a: "日本 / % %41 😀", b: "-._~", c: undefined, d: "&=?#", e: "" })
    read({ a: "..", b: "a,b;c", c: "", d: undefined, e: "e" })
  })

  it.prop("inverts expansion of every such template", [taken], ([variables]) => {
    for (const [source, choose] of shapes) {
      const template = parse(source)
      const chosen = choose(variables)
      assert.deepStrictEqual<unknown>({ ...template.match(template.expand(chosen)) }, given(chosen), source)
    }
  })

  it.prop(
    "typescript-sdk#1079 query variables come in any order, or not at all",
    [taken, order],
    ([{ a, c, d, e }, keys]) => {
      const all = given({ c, d, e })
      const pairs = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      const shuffled = pairs.map((pair, index) => [keys[index] ?? 0, pair] as const).sort(([x], [y]) => x - y)
      const uri = `x:${encodeURIComponent(a)}${pairs.length === 0 ? "" : "?"}${shuffled.map(([, pair]) => pair).join("&")}`
      assert.deepStrictEqual<unknown>({ ...parse("x:{a}{?c,d,e}").match(uri) }, { a, ...all })
    }
  )

  it.prop(
    "is total, and what it reads expands to what is read alike",
    [templateText(), anyText, anyText],
    ([source, one, other]) => {
      const parsed = UriTemplate.parse(source)
      if (Result.isFailure(parsed)) return
      const template = parsed.success
      for (const uri of [
        one,
        source,
        template.expand({ a: one, b: other }),
        `${source.replaceAll(/[{}]/g, "")}${one}`
      ]) {
        const found = template.match(uri)
        if (found === undefined || /\{[+#]/.test(source)) continue
        assert.deepStrictEqual(template.match(template.expand(found)), found, `${source} ${uri}`)
      }
    }
  )

  it.each([
    ["shows/{id}", "shows/7", { id: "7" }],
    ["shows/{id}", "shows/", undefined],
    ["shows/{id}", "shows/7/seats", undefined],
    ["shows/{id}", "SHOWS/7", undefined],
    ["shows/{id}", "xshows/7", undefined],
    ["shows/{id}", "shows/a%2Fb", { id: "a/b" }],
    ["shows/{id}", "shows/a:b@c", { id: "a:b@c" }],
    ["shows/{id}", "shows/日本", { id: "日本" }],
    ["shows/{id}", "shows/%e6%97%a5", { id: "日" }],
    ["shows/{id}", "shows/%7e", { id: "~" }],
    ["shows/{id}", "%73hows/7", { id: "7" }],
    ["shows/{id}", "shows/%", undefined],
    ["shows/{id}", "shows/%FF", undefined],
    ["shows/{id}", "shows/7?x=1", undefined],
    ["shows/{id}", "shows/7#top", undefined],
    ["caf%c3%a9/{id}", "café/1", { id: "1" }],
    ["{name}.{ext}", "archive.tar.gz", { name: "archive.tar", ext: "gz" }],
    ["{a}{b}", "xyz", { a: "xy", b: "z" }],
    ["{a}{b}", "%C3%A9%C3%A8", undefined],
    ["{a}{b}", "A%20", { a: "A", b: " " }],
    ["{x,y}", "1", { x: "1" }],
    ["{x,y}", "1,", { x: "1", y: "" }],
    ["{x,y}", ",2", undefined],
    ["a{/x,y}", "a", {}],
    ["a{/x,y}", "a//2", { x: "", y: "2" }],
    ["a{;x,y}", "a;y=2", { y: "2" }],
    ["a{;x,y}", "a;x", { x: "" }],
    ["a{;x,y}", "a;xyz", undefined],
    ["a{;x,y}", "a;y=2;x=1", undefined],
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["file:///{+path}", "file:///", undefined],
    ["s:{q}{?page}", "s:q?page=2", { q: "q", page: "2" }],
    ["s:{q}{?page}", "s:q?", { q: "q" }],
    ["s:{q}{?page}", "s:q?page", { q: "q", page: "" }],
    ["s:{q}{?page}", "s:q?page=a=b", { q: "q", page: "a=b" }],
    ["s:{q}{?page}", "s:q?page=1&page=2", undefined],
    ["s:{q}{?page}", "s:q?other=1", undefined],
    ["s:{q}{?page}", "s:q?page=1&", undefined],
    ["s:{q}{?__proto__}", "s:q?constructor=1", undefined],
    ["s:{+url}{?page}", "s:https://a/?x=1", { url: "https://a/?x=1" }],
    ["s:{+url}{?page}", "s:https://a/?x=1?page=2", { url: "https://a/?x=1", page: "2" }],
    ["s:a{?q}#top", "s:a?q=1#top", { q: "1" }],
    ["s:a{?q}#top", "s:a?q=1", undefined],
    ["s:a{?%C3%A9}", "s:a?é=1", { "%C3%A9": "1" }]
  ])("RES-06 %s reads %s as %j", (source, uri, expected) => {
    const found = parse(source).match(uri)
    assert.deepStrictEqual<unknown>(found === undefined ? undefined : { ...found }, expected)
  })

  it("never reads a variable into the prototype of its record", () => {
    const found = parse("a:{__proto__}{?constructor}").match("a:x?constructor=y")
    assert.deepStrictEqual(Object.entries(found ?? {}), [
      ["__proto__", "x"],
      ["constructor", "y"]
    ])
  })

  it("takes time that grows with the URI only, whatever the template, and reads none that is too long", () => {
    const hostile = ["x:{a}{b}{c}{d}{e}!", "x:{+a}{+b}{+c}{+d}-{+e}!", "x:{/a,b,c,d,e}!", "x:{+a}/{+b}/{+c}{?q}!"]
    const started = performance.now()
    for (const source of hostile.flatMap((one) => [one, one.replace("!", "")])) {
      const template = UriTemplate.parse(source)
      if (Result.isFailure(template)) continue
      for (const text of ["a", "/", "-a", "?q=", "%41"])
        template.success.match(`x:${text.repeat(16_382 / text.length)}`)
    }
    assert.isBelow(performance.now() - started, 10_000)
    assert.isDefined(parse("x:{a}").match(`x:${"a".repeat(16_382)}`))
    assert.isUndefined(parse("x:{a}").match(`x:${"a".repeat(16_383)}`))
  })
})

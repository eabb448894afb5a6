import { assert, describe, it } from "@effect/vitest"
import { accepted, isEventStreamType, isJsonType } from "@treadle/protocol/http"
import { anyText } from "@treadle/testing"

const both = { json: true, events: true }
const json = { json: true, events: false }
const events = { json: false, events: true }
const none = { json: false, events: false }

describe("accepted", () => {
  it.each([
    ["application/json, text/event-stream", both],
    ["text/event-stream, application/json", both],
    ["text/event-stream;q=0.5,application/json", both],
    ["APPLICATION/JSON, Text/Event-Stream", both],
    ["application/json,text/event-stream", both],
    [" application/json ; q=1 , text/event-stream ; q=0.001 ", both],
    ["application/json; charset=utf-8, text/event-stream", both],
    ["*/*", both],
    ["*/*;q=0.1", both],
    ["application/*, text/*", both],
    ["", both],
    ["  ", both],
    [undefined, both],
    ["application/json", json],
    ["application/*", json],
    ["application/json, text/html, */*;q=0", json],
    ["text/event-stream;q=0, */*", json],
    ["text/*;q=0, */*", json],
    ["text/event-stream", events],
    ["text/*", events],
    ["application/json;q=0, text/event-stream", events],
    ["application/json;Q=0.0, */*", events],
    ["application/*;q=0, application/json;q=0, */*", events],
    ["text/*;q=0, text/event-stream", events],
    ["image/png", none],
    ["application/jsonp", none],
    ["*/*;q=0", none],
    ["application/json;q=0", none],
    ["nonsense", none],
    [",,;", none]
  ])("B011 HTTP-04 HTTP-07 Accept %j admits %o", (header, expected) => {
    assert.deepStrictEqual(accepted(header), expected)
  })

  it.prop("is total", [anyText], ([header]) => {
    assert.hasAllKeys(accepted(header), ["json", "events"])
  })
})

describe("isJsonType", () => {
  it.each([
    ["application/json", true],
    ["Application/JSON", true],
    ["application/json; charset=utf-8", true],
    ['application/json;charset="UTF-8"', true],
    ["application/json; charset=utf8", true],
    ["application/json ;", true],
    ["application/json; version=1", true],
    ["application/json; charset=latin1", false],
    ["application/json; charset=utf-16", false],
    ["application/json-patch+json", false],
    ["application/jsonx", false],
    ["text/plain", false],
    ["", false],
    [undefined, false]
  ])("HTTP-23 a body of type %j is JSON: %s", (header, expected) => {
    assert.strictEqual(isJsonType(header), expected)
  })
})

describe("isEventStreamType", () => {
  it.each([
    ["text/event-stream", true],
    ["Text/Event-Stream; charset=utf-8", true],
    ["text/event-stream2", false],
    ["application/json", false],
    ["", false],
    [null, false],
    [undefined, false]
  ])("HTTP-07 an answer of type %j is a stream: %s", (header, expected) => {
    assert.strictEqual(isEventStreamType(header), expected)
  })
})

/**
 * The public bug reports that concern a server, a schema, a client, authorization or an agent: each is cited by the
 * name of a test of that side.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../..")

type Cases = Readonly<Record<string, string>>

/** The cases of a server or a schema, each with what it is about. */
const ofServer: Cases = {
  B003: "tools/call without arguments",
  B006: "a failing tool with an output schema",
  B007: "a union as the input of a tool",
  B011: "strict matching of Accept",
  B013: "a process that outlives its client",
  B015: "wrong arguments as a protocol error",
  B016: "an unknown session",
  B017: "GET where there is no stream",
  B018: "metadata of the resource at both addresses",
  B021: "members with defaults published as required",
  B022: "lists without items",
  B024: "characters on the border of two chunks",
  B027: "browsers and CORS",
  B034: "structured content without text",
  B037: "a tool that runs on after its client left",
  B039: "methods that are not advertised",
  B041: "version negotiation",
  B042: "quiet streams that are closed on the way",
  B043: "answers to notifications",
  B044: "parameters of Content-Type",
  B046: "big bodies",
  B049: "malformed requests that are dropped",
  B053: "ids of every kind",
  B055: "sessions that are never removed",
  B063: "readers that go away",
  B066: "big messages",
  B069: "marks and line ends on stdio",
  B071: "rebinding",
  B074: "missing or disagreeing headers",
  B076: "names outside ASCII",
  B084: "an old client at a new server",
  B085: "a second stream while the first hangs",
  B087: "several processes behind a balancer",
  B088: "listen requests",
  B090: "rounds of input",
  B096: "recursive and deep schemas",
  B099: "values without a JSON form",
  B102: "the public address behind a proxy"
}

/** The cases of a client. */
const ofClient: Cases = {
  B001: "log lines on the output of a child",
  B002: "a session that is lost on the server",
  B006: "a failing tool with an output schema",
  B008: "the environment of a child",
  B011: "what is said of accepted forms",
  B012: "a failed tool that counts as a success",
  B014: "programs on Windows",
  B017: "GET where there is no stream",
  B020: "progress and the time limit",
  B024: "characters on the border of two chunks",
  B026: "probes that fail in an unforeseen way",
  B028: "errors output that nobody reads",
  B033: "content of unknown types",
  B035: "calls that are aborted",
  B036: "line ends of events",
  B038: "comments, pings and empty data",
  B039: "lists that the server does not have",
  B041: "version negotiation",
  B044: "parameters of Content-Type",
  B045: "one bad frame",
  B053: "ids of every kind",
  B057: "the end of a session",
  B059: "a server that dies",
  B064: "errors of HTTP as the answer",
  B066: "big messages",
  B069: "marks and line ends on stdio",
  B076: "names outside ASCII",
  B081: "what is left behind by close",
  B082: "credentials and the probe",
  B083: "streams that are taken up again",
  B088: "listen requests",
  B090: "rounds of input",
  B092: "questions and the time a person takes",
  B095: "cancellations of what cannot be cancelled",
  B099: "values that JavaScript cannot hold, or JSON",
  B100: "what is checked against the output schema",
  B110: "a network failure at connect"
}

/** The cases of a client's authorization. */
const ofAuthorization: Cases = {
  B004: "the identifier of the resource, changed",
  B018: "metadata of the resource at one address only",
  B050: "challenges that are read too narrowly",
  B052: "web pages in place of metadata",
  B054: "the address of the authorization server",
  B056: "issuers that differ",
  B060: "how a client proves itself",
  B062: "more rights, again and again",
  B065: "a login that is thrown away",
  B070: "several refusals at once",
  B072: "documents of client metadata",
  B098: "several processes that log in",
  B107: "another authorization server",
  B108: "PKCE, state and the type of an application"
}

/** The cases of an agent. */
const ofAgent: Cases = {
  B010: "names that a provider refuses",
  B012: "a failed tool that counts as a success",
  B015: "wrong arguments as a protocol error",
  B020: "progress and the time limit",
  B022: "lists without items",
  B032: "arguments that are JSON text",
  B033: "content of unknown types",
  B034: "structured content without text",
  B035: "calls that are aborted",
  B075: "a tool that fails again and again",
  B077: "results that are larger than the window",
  B091: "an agent that does not stop",
  B092: "questions and the time a person takes",
  B096: "recursive and deep schemas",
  B099: "numbers that JavaScript cannot hold",
  B100: "what is checked against the output schema",
  B106: "results in another order",
  B110: "a network failure at connect"
}

/** Where the tests of each side are, and the suites they share. */
const sides = {
  server: { cases: ofServer, folders: ["packages/protocol/test", "packages/server/test", "packages/testing/src"] },
  client: { cases: ofClient, folders: ["packages/client/test"] },
  authorization: { cases: ofAuthorization, folders: ["packages/oauth/test"] },
  agent: { cases: ofAgent, folders: ["packages/agent/test"] }
}

const citedIn = (folders: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    folders.flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .flatMap((file) => readFileSync(path.join(root, folder, file), "utf8").match(/\bB\d{3}\b/g) ?? [])
    )
  )

describe.each(Object.entries(sides))("public bug reports of the %s", (side, { cases, folders }) => {
  const cited = citedIn(folders)

  it.each(Object.entries(cases))("%s is cited by a test: %s", (id) => {
    assert.isTrue(cited.has(id), `name a test of the ${side} with ${id}`)
  })
})

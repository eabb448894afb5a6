import { execFileSync } from "node:child_process"
import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { browserCommand, openBrowser, refusedPage } from "../../src/node/OpenBrowser.ts"
import { folder } from "./fixtures/folder.ts"

const page = new URL("https://as.example/authorize?a=1&b='\"`$(id)|;%20\\&state=s")

describe("the browser of the system", () => {
  it.each([
    ["linux", "xdg-open", [page.href]],
    ["freebsd", "xdg-open", [page.href]],
    ["darwin", "open", [page.href]],
    ["win32", String.raw`D:\Win\System32\rundll32.exe`, ["url.dll,FileProtocolHandler", page.href]]
  ])("SEC-03: on %s is started with the address as one argument", (platform, command, args) => {
    assert.deepStrictEqual(browserCommand(page, { platform, env: { SystemRoot: String.raw`D:\Win` } }), {
      command,
      args
    })
  })

  it.each([
    ["https://as.example/authorize", true],
    ["http://127.0.0.1:8080/authorize", true],
    ["http://localhost/authorize", true],
    ["http://[::1]/authorize", true],
    ["http://as.example/authorize", false],
    ["http://127.0.0.1.evil/authorize", false],
    ["javascript:alert(1)", false],
    ["JaVaScRiPt:alert(1)", false],
    ["data:text/html,<script>alert(1)</script>", false],
    ["vbscript:x", false],
    ["file:///etc/passwd", false],
    ["ssh://-oProxyCommand=id/", false],
    ["blob:https://as.example/1", false]
  ])("SEC-02: of %s is shown: %s", (url, isShown) => {
    assert.strictEqual(refusedPage(new URL(url)) === undefined, isShown)
  })

  it.effect("SEC-02: is not started for an address that is refused", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(openBrowser(new URL("file:///etc/passwd")))
      assert.strictEqual(
        refused.message,
        "the page of the authorization server, file:, is not called: a browser is sent to https only, or to http on " +
          "this machine (MCP security best practices, authorization URLs)"
      )
    })
  )

  it.live.skipIf(process.platform === "win32")("SEC-03: gets the address as it is, and no shell reads it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const said = join(path, "said")
      execFileSync("mkfifo", [said])
      writeFileSync(join(path, "xdg-open"), '#!/bin/sh\nprintf \'%s\\n\' "$#" "$1" > "$SAID"\n')
      chmodSync(join(path, "xdg-open"), 0o700)
      const heard = readFile(said, "utf8")
      const place = { platform: "linux", env: { PATH: path, SAID: said } }
      assert.isTrue(yield* openBrowser(page, place))
      assert.strictEqual(yield* Effect.promise(() => heard), `1\n${page.href}\n`)
    })
  )

  it.live("is missed without harm, and an address that is too long for it as well", () =>
    Effect.gen(function* () {
      const path = yield* folder
      assert.isFalse(yield* openBrowser(page, { platform: "linux", env: { PATH: path } }))
      symlinkSync(process.execPath, join(path, "xdg-open"))
      const long = new URL(`https://as.example/${"x".repeat(4 * 1024 * 1024)}`)
      assert.isFalse(yield* openBrowser(long, { platform: "linux", env: { PATH: path } }))
    })
  )
})

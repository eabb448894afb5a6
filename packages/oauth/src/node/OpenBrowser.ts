/**
 * Opens a page in the browser of the system: a program with an argument vector, never a shell (SEC-03), and only for
 * addresses that a browser may be sent to (SEC-02).
 */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import { isLoopbackHost } from "../AddressGuard.ts"
import { AuthReason } from "../AuthError.ts"

/** What the program depends on; that of this process by default. */
export interface BrowserPlace {
  /** As `process.platform` says it. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A program and its arguments. */
export interface BrowserCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** Why a page is not shown; nothing where it may be. */
export const refusedPage = (url: URL): InstanceType<typeof AuthReason.AddressRefused> | undefined => {
  if (url.protocol === "https:") return undefined
  if (url.protocol === "http:" && isLoopbackHost(url.hostname)) return undefined
  return new AuthReason.AddressRefused({
    url: `${url.protocol}${url.host === "" ? "" : `//${url.host}`}`,
    what: "the page of the authorization server",
    why: "a browser is sent to https only, or to http on this machine",
    rule: "MCP security best practices, authorization URLs"
  })
}

/** What opens a page on a platform. */
export const browserCommand = (url: URL, { env, platform }: BrowserPlace): BrowserCommand => {
  switch (platform) {
    case "darwin":
      return { command: "open", args: [url.href] }
    case "win32":
      // By its path, since Windows would look for the name in the working directory first.
      return {
        command: `${env.SystemRoot ?? String.raw`C:\Windows`}\\System32\\rundll32.exe`,
        args: ["url.dll,FileProtocolHandler", url.href]
      }
    default:
      return { command: "xdg-open", args: [url.href] }
  }
}

/**
 * Opens a page in the browser of the system and does not wait for it.
 *
 * @param url an https: address, or an http: one on this machine; others fail with `AuthReason.AddressRefused`
 * @returns whether there is a program that opens pages; a page may fail to open all the same
 *
 * @example
 * ```ts
 * import { openBrowser } from "@treadle/oauth/node"
 * import * as Effect from "effect/Effect"
 *
 * Effect.runSync(Effect.flip(openBrowser(new URL("javascript:alert(1)")))).why
 * // => "a browser is sent to https only, or to http on this machine"
 * ```
 */
export const openBrowser = (
  url: URL,
  place: BrowserPlace = process
): Effect.Effect<boolean, InstanceType<typeof AuthReason.AddressRefused>> =>
  Effect.suspend(() => {
    const refused = refusedPage(url)
    if (refused !== undefined) return Effect.fail(refused)
    const { args, command } = browserCommand(url, place)
    return Effect.callback<boolean>((resume) => {
      const child = spawn(command, args, { detached: true, env: place.env, stdio: "ignore", windowsHide: true })
      child.once("spawn", () => resume(Effect.succeed(true)))
      child.on("error", () => resume(Effect.succeed(false)))
      child.unref()
    }).pipe(
      // An address that is too long for an argument.
      Effect.catchDefect(() => Effect.succeed(false))
    )
  })

/**
 * A child process that reads lines and writes exactly what a test tells it to.
 *
 * The script is a function that is carried over as text: it sees its two parameters and the globals of Node, nothing of
 * the test around it.
 */

/** What a script has in the child. */
export interface ChildPeer {
  /** Called for each line of input, with its JSON where it is some. */
  readonly onLine: (handle: (json: any, text: string) => void) => void
  readonly onEnd: (handle: () => void) => void
  /** Writes to the output as it is. */
  readonly write: (raw: string | Uint8Array) => void
  /** Writes one result as a line. */
  readonly answer: (id: unknown, result: unknown) => void
  /** Writes to the errors output as it is. */
  readonly log: (raw: string) => void
}

/** A command and its arguments, to be spawned. */
export interface ScriptedChild {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const prelude = `
const ends = []
const peer = {
  onLine: (handle) => {
    let rest = ""
    process.stdin.setEncoding("utf8")
    process.stdin.on("data", (chunk) => {
      const lines = (rest + chunk).split("\\n")
      rest = lines.pop()
      for (const line of lines) {
        let json
        try { json = JSON.parse(line) } catch {}
        handle(json, line)
      }
    })
    process.stdin.on("end", () => ends.forEach((end) => end()))
  },
  onEnd: (handle) => ends.push(handle),
  write: (raw) => process.stdout.write(raw),
  answer: (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n"),
  log: (raw) => process.stderr.write(raw)
}
`

/**
 * The command of a child that runs a script.
 *
 * @param script self-contained: it can use nothing from outside but its parameters
 * @param data any JSON, handed to the script
 */
export const scriptedChild = <D = undefined>(
  script: (peer: ChildPeer, data: D) => void,
  ...[data]: undefined extends D ? [data?: D] : [data: D]
): ScriptedChild => ({
  command: process.execPath,
  args: ["-e", `${prelude};(${script.toString()})(peer, ${data === undefined ? "undefined" : JSON.stringify(data)})`]
})

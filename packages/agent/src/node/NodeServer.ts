/**
 * Servers of an agent that need Node: programs that are started for each run and speak over their input and output.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { McpNodeClient, type Environment, type StdioSettings } from "@treadle/client/node"
import type { ServerRef, ServerSettings } from "../AgentDefinition.ts"
import { parseAmongOthers, resolvedNow, Secret } from "../Secret.ts"

/** What to start, and what is said of the server. */
export interface CommandSettings extends ServerSettings, Pick<StdioSettings, "cwd" | "onStderr"> {
  /**
   * Added to a few harmless variables of this process; `undefined` removes one. A text may name secrets, as
   * `{{secret:NAME}}`, which are read when a run connects; other braces, such as `{{name}}`, stay as they are.
   */
  readonly env?: Environment
}

/** Variables with their secrets, read now. A text that names none is as it is. */
const resolvedEnv = (env: Environment) =>
  Effect.map(
    Effect.forEach(Object.entries(env), ([name, value]) => {
      const template = typeof value === "string" ? parseAmongOthers(value) : undefined
      return template === undefined || (Result.isSuccess(template) && !Secret.hasReference(template.success))
        ? Effect.succeed([name, value] as const)
        : Effect.map(resolvedNow(template), (secret) => [name, secret] as const)
    }),
    Object.fromEntries
  )

type Faults = NonNullable<Extract<ServerRef, { readonly _tag: "Open" }>["faults"]>

const envFaults = (env: Environment): Faults =>
  Object.entries(env).flatMap(([name, value]) => {
    const setting = `env ${JSON.stringify(name)}`
    if (value === undefined || Redacted.isRedacted(value)) return []
    if (typeof value !== "string") return [{ setting, why: "its value must be a text" }]
    const parsed = parseAmongOthers(value)
    return Result.isFailure(parsed) ? [{ setting, why: parsed.failure.message }] : []
  })

/** Whoever is on the machine sees the arguments of its programs. */
const argumentFaults = (args: ReadonlyArray<string>): Faults =>
  args.flatMap((text, index) => {
    const setting = `argument ${index + 1}`
    if (typeof text !== "string") return [{ setting, why: "it must be a text" }]
    const parsed = parseAmongOthers(text)
    if (Result.isFailure(parsed) || !Secret.hasReference(parsed.success)) return []
    return [{ setting, why: "no secret is read for it, since everybody on the machine sees arguments; name it in env" }]
  })

/**
 * A server that is a program. It is started when a run connects, without a shell, and ended with it, as is what it
 * started itself.
 *
 * @param program its path or name
 * @param args its arguments, as they are; secrets belong into `env`
 *
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 * import { NodeServer } from "@treadle/agent/node"
 *
 * const env = { API_TOKEN: "{{secret:API_TOKEN}}" }
 * const reader = Agent.make({
 *   name: "reader",
 *   instruction: "You answer from the files you are given.",
 *   servers: { files: NodeServer.command("mcp-server-filesystem", ["/srv/docs"], { env, tags: ["sensitive"] }) }
 * })
 * Agent.check(reader) // => []
 * ```
 */
const command = (program: string, args: ReadonlyArray<string> = [], settings: CommandSettings = {}): ServerRef => {
  const { cwd, env = {}, onStderr, ...said } = settings
  const child = {
    command: program,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    ...(onStderr === undefined ? {} : { onStderr })
  }
  return {
    _tag: "Open",
    open: (client) =>
      Effect.flatMap(resolvedEnv(env), (resolved) => McpNodeClient.stdio({ ...client, ...child, env: resolved })),
    settings: said,
    faults: [...envFaults(env), ...argumentFaults(args)]
  }
}

/** Servers of an agent that need Node. */
export const NodeServer = { command }

/**
 * The id of the process, as a served agent tells it: a service, so that nothing else of the core asks for a platform.
 */
import * as Context from "effect/Context"

const ownPid = (): number => {
  const { process } = globalThis as { readonly process?: { readonly pid?: unknown } }
  return typeof process?.pid === "number" ? process.pid : 0
}

/** The id of this process; 0 on platforms that have none, where nothing else is provided. */
export const ProcessId: Context.Reference<number> = Context.Reference("@treadle/agent/ProcessId", {
  defaultValue: ownPid
})

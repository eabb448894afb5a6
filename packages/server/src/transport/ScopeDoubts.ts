/**
 * Scopes that something on a server needs and that no caller of a door over HTTP can be expected to have: as a rule a slip
 * of the pen. Every call is refused then, so that nothing is open; a warning says so before anybody calls.
 */
import { nearestNames } from "@treadle/protocol/json"
import type { Authentication } from "../Authentication.ts"
import { withImplied } from "../AuthScope.ts"

/** Each scope that something needs, with what needs it. */
type Needed = ReadonlyMap<string, string>

/** What a door knows of its callers. */
export interface DoorCallers {
  /** What they must show, where they must. */
  readonly auth: Authentication | undefined
  /** Whether something else says who calls, and with which scopes: the application, or certificates. */
  readonly vouched: boolean
}

/** The scopes that callers are known to have, or are told of; nothing where any may come. */
const knownScopes = ({ auth, vouched }: DoorCallers): ReadonlyArray<string> | undefined => {
  if (auth === undefined) return vouched ? undefined : []
  if (auth._tag === "StaticBearer") return Object.values(auth.scopes).flat()
  const { implies, required = [], supported } = auth.settings.scopes ?? {}
  return supported === undefined ? undefined : withImplied([...required, ...supported], implies)
}

const cureOf = ({ auth }: DoorCallers, scope: string, known: ReadonlyArray<string>): string => {
  if (auth === undefined)
    return "nobody has any here; give the door auth, or let principal of Mcp.make return { id, scopes }"
  const [nearest] = nearestNames(scope, known, 1)
  const meant = nearest === undefined ? "" : `; it may be ${nearest} that was meant`
  return auth._tag === "StaticBearer"
    ? `no caller of StaticBearer.make has it${meant}`
    : `auth.scopes.supported does not list it, so that clients do not ask for it${meant}`
}

const doubtsOf = (needed: Needed, callers: DoorCallers): ReadonlyArray<string> => {
  const known = knownScopes(callers)
  if (known === undefined) return []
  return [...needed].flatMap(([scope, what]) =>
    known.includes(scope) ? [] : [`${what} needs the scope ${scope}, and ${cureOf(callers, scope, known)}.`]
  )
}

/** The doubts of one door over HTTP. */
export class ScopeDoubts {
  readonly #warn: (text: string) => void
  #callers: DoorCallers | undefined

  constructor(warn: (text: string) => void) {
    this.#warn = warn
  }

  /** Warns of what is needed at the start. Until then nobody calls over HTTP, and nothing is doubted. */
  start(callers: DoorCallers, needed: Needed): void {
    this.#callers = callers
    doubtsOf(needed, callers).forEach(this.#warn)
  }

  /** Warns of what is needed after a change of what is served, and was not before. */
  changed(before: Needed, needed: Needed): void {
    if (this.#callers === undefined) return
    const added = [...needed].filter(([scope]) => !before.has(scope))
    doubtsOf(new Map(added), this.#callers).forEach(this.#warn)
  }
}

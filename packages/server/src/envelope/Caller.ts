/**
 * Who is calling, or why that cannot be told.
 */
import type { Principal } from "../Principal.ts"
import type { Refusal } from "./Refusal.ts"

export interface Caller {
  readonly principal?: Principal | undefined
  readonly refusal?: Refusal | undefined
}

/**
 * Whether a client may hear of changes of a resource: the author may have a say, and where the list of resources is
 * settled, what nothing reads never changes.
 */
import * as Effect from "effect/Effect"
import type { Call, CurrentCall } from "../../CurrentCall.ts"
import type { ServedEntry } from "./ListTable.ts"
import type { Offer } from "./Offer.ts"
import { readable, seenBy } from "./Readable.ts"

/** `missing` is what nothing reads, `asked` what has to be asked about: it gives the reason why not, or nothing. */
export type Hearable =
  | { readonly _tag: "yes" }
  | { readonly _tag: "missing" }
  | {
      readonly _tag: "asked"
      readonly entry: Pick<ServedEntry<unknown>, "services" | "lease">
      readonly reason: (call: Call<unknown, never>) => Effect.Effect<string | undefined, never, CurrentCall>
    }

const yes: Hearable = { _tag: "yes" }

const missing: Hearable = { _tag: "missing" }

/** @param settled whether the list of resources stays as it was at the start */
export const hearable = (
  uri: string,
  offer: Pick<Offer, "resources" | "templates">,
  context: unknown,
  settled: boolean
): Hearable => {
  const found = readable(uri, seenBy(offer, context))
  if (!("reading" in found)) return settled ? missing : yes
  const { entry, refusing } = found
  return refusing === undefined ? yes : { _tag: "asked", entry, reason: refusing }
}

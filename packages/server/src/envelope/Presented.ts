/**
 * What the sender of a message presents beside it, by the names that sessions have for it. Only HTTP has a place for
 * that, so nothing behind the envelope reads a header.
 */
import { revisionOf, type Revision } from "@treadle/protocol/era"
import { HeaderName, trimHeaderValue } from "@treadle/protocol/http"
import type { Inbound } from "./Inbound.ts"

const presented = ({ http }: Inbound, name: string): string | undefined => {
  const value = http?.header(name)
  return value === undefined ? undefined : trimHeaderValue(value)
}

/** Whether it came on a pipe, or from this process: then its connection is the session, and nothing is presented. */
export const isOnPipe = ({ http }: Inbound): boolean => http === undefined

/** The id of the session that is meant (CHTTP-15). */
export const sessionPresented = (inbound: Inbound): string | undefined => presented(inbound, HeaderName.session)

/** The last event that the sender has seen of a stream that it lost (CHTTP-12). */
export const lastEventPresented = (inbound: Inbound): string | undefined => presented(inbound, HeaderName.lastEventId)

/** The revision that is named, where it is one that we know (CHTTP-21). */
export const revisionPresented = (inbound: Inbound): Revision | undefined =>
  revisionOf(presented(inbound, HeaderName.version) ?? "")

/** The same as an Effect. */
// #region watch
import type { McpSession } from "@treadle/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Every version of a resource, the present one first. */
export const versions = (session: McpSession, uri: string) =>
  Stream.unwrap(
    Effect.map(session.watch({ uris: [uri] }), (changes) =>
      Stream.mapEffect(Stream.concat(Stream.succeed("now"), changes), () => session.readResource(uri))
    )
  )
// #endregion watch

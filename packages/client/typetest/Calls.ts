/**
 * The types of calls: what may be given and left out, what comes back, how failures are caught, and what does not
 * compile.
 */
import { Arg, Endpoint } from "@treadle/protocol"
import type { DirectServer } from "@treadle/protocol/framing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as z from "zod/v4"
import { McpClient, type McpError, type McpSession, type PendingCall, type Progress } from "../src/index.ts"
import { connect, type OpenCall, type PromiseClient, type Settled } from "../src/promise/index.ts"
import { is, type Eq } from "../../protocol/typetest/Equal.ts"

class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String }) {}
class ShowNotFound extends Schema.TaggedError<ShowNotFound>()("ShowNotFound", { id: Schema.Int }) {}

const getShow = Endpoint.make("get_show", {
  description: "One bill",
  input: { id: Schema.Int },
  output: Show,
  errors: ShowNotFound
})
const list = Endpoint.make("list", {
  description: "All",
  input: { limit: Arg.withDefault(Schema.Int, 20), status: Arg.optional(Schema.String) }
})
const ping = Endpoint.make("ping", { description: "Is it up" })
const zod = Endpoint.make("zod", {
  description: "x",
  input: z.object({ n: z.int().default(3), at: z.coerce.date() }),
  output: z.object({ ok: z.boolean() })
})
const hold = Endpoint.make("hold", {
  description: "x",
  input: { show: Schema.Int },
  errors: { SoldOut: { left: Schema.Int }, Closed: {} }
})

declare const session: McpSession

// What comes back, and how it fails.
const show = session.call(getShow)({ id: 1 })
is<Eq<typeof show, Effect.Effect<Show, ShowNotFound | McpError>>>()
is<Eq<ReturnType<ReturnType<typeof session.call<typeof ping>>>, Effect.Effect<string, McpError>>>()
const held = session.call(hold)({ show: 1 })
is<
  Eq<
    Effect.Error<typeof held>,
    { readonly _tag: "SoldOut"; readonly left: number } | { readonly _tag: "Closed" } | McpError
  >
>()

// Whatever is not required may be left out.
void session.call(list)()
void session.call(list)({ limit: 3 }, { timeout: 100 })
void session.call(ping)()
void session.call(zod)({ at: new Date() })

// Failures are caught by their tag, and those of the client by their reason.
const caught = show.pipe(Effect.catchTag("ShowNotFound", (error) => Effect.succeed(error.id)))
is<Eq<Effect.Error<typeof caught>, McpError>>()
void show.pipe(Effect.catchReason("McpError", "TimedOut", (reason) => Effect.succeed(reason.after)))
void show.pipe(
  Effect.catchReasons("McpError", {
    TimedOut: () => Effect.succeed(0),
    Unauthorized: (reason) => Effect.succeed(reason.server)
  })
)

// A handle.
const opening = session.open(getShow)({ id: 1 })
is<Eq<typeof opening, Effect.Effect<PendingCall<Show, ShowNotFound>, McpError, Scope.Scope>>>()
declare const pending: PendingCall<Show, ShowNotFound>
is<Eq<typeof pending.progress, Stream.Stream<Progress>>>()

// Promises.
export const promises = async (client: PromiseClient) => {
  is<Eq<Awaited<ReturnType<typeof client.listTools>>[number]["name"], string>>()
  const one = await client.call(getShow)({ id: 1 })
  is<Eq<typeof one, Show>>()
  const box = client.bind({ getShow, list, ping, zod })
  await box.list()
  await box.ping()
  const { ok } = await box.zod({ at: new Date() })
  is<Eq<typeof ok, boolean>>()
  const open = box.getShow.open({ id: 1 }, { onProgress: (progress) => progress.done })
  is<Eq<typeof open, OpenCall<Show>>>()
  const got = await box.getShow.settled({ id: 9 }, { signal: AbortSignal.timeout(500) })
  is<Eq<typeof got, Settled<Show, ShowNotFound>>>()
  if (got.ok) return got.value.title
  switch (got.error._tag) {
    case "ShowNotFound":
      return got.error.id
    case "McpError":
      return got.error.reason._tag
  }
}

// In process: the context is asked for where there is one.
declare const plain: DirectServer<{}, never, never>
declare const asking: DirectServer<{ readonly user: string }, "broken", never>
is<Eq<ReturnType<typeof connectPlain>, Promise<PromiseClient>>>()
function connectPlain() {
  return connect(plain)
}
const direct = McpClient.direct(asking, { user: "ann" })
is<Eq<typeof direct, Effect.Effect<McpSession, McpError | "broken", Scope.Scope>>>()
void connect(asking, { user: "ann" })

// W8
// @ts-expect-error the id is a number
void session.call(getShow)({ id: "1" })
// W9
// @ts-expect-error the input is required
void session.call(getShow)()
// W12
// @ts-expect-error the limit is a number
void session.call(list)({ limit: "3" })
// W14
// @ts-expect-error the handlers of this server ask for a context
void connect(asking)
// @ts-expect-error the handlers of this server ask for a context
void McpClient.direct(asking)
// @ts-expect-error and for one of its own form
void McpClient.direct(asking, { user: 5 })
// @ts-expect-error a misspelled argument
void session.call(getShow)({ idd: 1 })

/**
 * The tools that every suite calls, as contracts and as plain functions. A server adds them one by one; what happens in
 * them is told by a probe, which a test in another process reads through tools of its own.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Arg, Endpoint } from "@treadle/protocol"
import { Recorder } from "./Recorder.ts"

/** What the functions below ask of the call that they serve. */
export interface FixtureCall {
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
  readonly log: (level: "debug" | "info" | "warning" | "error", data: unknown, logger?: string) => void
  readonly fail: (text: string) => never
}

/** What happens in the tools, and the gates at which they wait. */
export class Probe {
  events = new Recorder<string>()
  #opened = new Recorder<string>()

  /** Resolves once the gate is open; it stays open. */
  gate(name: string): Promise<string> {
    return this.#opened.first((one) => one === name)
  }

  open(name: string): void {
    this.#opened.record(name)
  }

  /** Forgets what happened and closes every gate, once nothing runs any more. */
  reset(): void {
    this.events = new Recorder()
    this.#opened = new Recorder()
  }

  /** How many functions began and did not end yet. */
  get running(): number {
    const count = (what: string) => this.events.events.filter((event) => event.startsWith(what)).length
    return count("began") - count("ended")
  }
}

export const Show = Schema.Struct({ id: Schema.Int, title: Schema.String })

export class ShowNotFound extends Schema.TaggedError<ShowNotFound>()("ShowNotFound", { id: Schema.Int }) {
  override get message() {
    return `There is no show ${this.id}`
  }
}

/** The limits with which a server of the suite must be started. */
export const suiteLimits = { runningCalls: 8, grace: 50, drain: 50 }

/** A text that must never leave the server. */
export const secret = "postgres://root:hunter2@db"

export const fixtureTools = {
  echo: Endpoint.make("echo", { description: "Says it again", input: { text: Schema.String } }),
  add: Endpoint.make("add", {
    description: "Adds",
    input: { a: Schema.Int, b: Schema.Int },
    output: Schema.Struct({ sum: Schema.Int })
  }),
  noargs: Endpoint.make("noargs", { description: "Takes nothing" }),
  opts: Endpoint.make("opts", {
    description: "Takes what may be left out",
    input: { limit: Arg.withDefault(Schema.Int, 10), tag: Arg.optional(Schema.String) },
    output: Schema.Struct({ limit: Schema.Int, tag: Schema.optionalKey(Schema.String) })
  }),
  getShow: Endpoint.make("get_show", {
    description: "One bill",
    input: { id: Schema.Int },
    output: Show,
    errors: [ShowNotFound, Schema.TaggedStruct("SoldOut", { left: Schema.Int })]
  }),
  refuse: Endpoint.make("refuse", {
    description: "Says no",
    input: { how: Schema.Literals(["throw", "reject", "failed"]) },
    output: Show
  }),
  boom: Endpoint.make("boom", {
    description: "Has a bug",
    input: { how: Schema.Literals(["throw", "reject", "die", "fail", "interrupt", "output"]) },
    output: Show
  }),
  steps: Endpoint.make("steps", { description: "Tells how far it is", input: { gate: Arg.optional(Schema.String) } }),
  late: Endpoint.make("late", { description: "Goes on after its answer", input: { gate: Schema.String } }),
  hold: Endpoint.make("hold", { description: "Waits, as an Effect", input: { gate: Schema.String } }),
  watch: Endpoint.make("watch", { description: "Waits, as a promise", input: { gate: Schema.String } }),
  endless: Endpoint.make("endless", { description: "Takes too long" }),
  /** Answers once an event has happened. */
  happened: Endpoint.make("happened", { description: "Waits for an event", input: { event: Schema.String } }),
  events: Endpoint.make("events", {
    description: "What happened so far",
    output: Schema.Struct({ events: Schema.Array(Schema.String), running: Schema.Int })
  }),
  open: Endpoint.make("open", { description: "Opens a gate", input: { gate: Schema.String } }),
  /** Changes what is served, one change after another: a tool `plugged` that says `first`, once replaced `second`. */
  plug: Endpoint.make("plug", {
    description: "Changes what is served",
    input: { changes: Schema.Array(Schema.Literals(["add", "replace", "remove"])) }
  })
}

const bug = () => new TypeError(secret)

const opened = (probe: Probe, gate: string) => Effect.promise(() => probe.gate(gate))

/** The last things are told in order: the finalizer of the function, then that it ended. */
const hold =
  (probe: Probe) =>
  ({ gate }: { readonly gate: string }) =>
    Effect.gen(function* () {
      yield* Effect.addFinalizer(() => Effect.sync(() => probe.events.record(`ended ${gate}`)))
      probe.events.record(`began ${gate}`)
      yield* Effect.onInterrupt(opened(probe, gate), () =>
        Effect.sync(() => probe.events.record(`interrupted ${gate}`))
      )
      return gate
    })

const watch =
  (probe: Probe) =>
  async ({ gate }: { readonly gate: string }, { signal }: FixtureCall) => {
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
    probe.events.record(`began ${gate}`)
    await Promise.race([probe.gate(gate), aborted])
    if (signal.aborted) probe.events.record(`aborted ${gate}`)
    probe.events.record(`ended ${gate}`)
    return gate
  }

const tell = ({ progress, log }: FixtureCall) => {
  for (const done of [1, 0.5, 1, 2.5, Number.NaN, 3]) progress(done, 3, `step ${done}`)
  log("debug", "hidden")
  log("warning", { left: 2 }, "box")
}

/**
 * The functions of the tools.
 *
 * @param failed makes the error with which the server's own package says no in words
 */
export const fixtureHandlers = (probe: Probe, failed: (text: string) => Error) => ({
  echo: ({ text }: { readonly text: string }) => {
    probe.events.record(`echo ${text}`)
    return Effect.succeed(text)
  },
  add: async ({ a, b }: { readonly a: number; readonly b: number }) => ({ sum: a + b }),
  noargs: async () => {
    probe.events.record("noargs")
    return "ok"
  },
  opts: (input: { readonly limit: number; readonly tag?: string }) => {
    probe.events.record("opts")
    return Effect.succeed(input)
  },
  getShow: ({ id }: { readonly id: number }) =>
    id === 1
      ? Effect.succeed({ id, title: "Hamlet" })
      : id === 2
        ? Effect.fail({ _tag: "SoldOut" as const, left: 0 })
        : Effect.fail(new ShowNotFound({ id })),
  refuse: ({ how }: { readonly how: string }, { fail }: FixtureCall): Promise<typeof Show.Type> => {
    if (how === "throw") return fail("No order 9")
    return how === "failed" ? Promise.reject(failed("No order 9")) : Promise.resolve().then(() => fail("No order 9"))
  },
  boom: ({ how }: { readonly how: string }): Effect.Effect<typeof Show.Type> | Promise<typeof Show.Type> => {
    if (how === "throw") throw bug()
    if (how === "reject") return Promise.reject(bug())
    if (how === "die") return Effect.die(bug())
    if (how === "fail") return Effect.fail(bug()) as unknown as Effect.Effect<never>
    if (how === "interrupt") return Effect.interrupt
    return Promise.resolve({ id: secret } as never)
  },
  steps: async ({ gate }: { readonly gate?: string }, call: FixtureCall) => {
    call.signal.addEventListener("abort", () => probe.events.record("aborted steps"))
    tell(call)
    if (gate !== undefined) await probe.gate(gate)
    return "done"
  },
  late: async ({ gate }: { readonly gate: string }, { log, progress }: FixtureCall) => {
    void probe.gate(gate).then(() => {
      progress(9)
      log("error", "late")
      probe.events.record(`told ${gate}`)
    })
    return "early"
  },
  hold: hold(probe),
  watch: watch(probe),
  endless: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => probe.events.record("gave up"))),
  happened: async ({ event }: { readonly event: string }) => probe.events.first((one) => one === event),
  events: async () => ({ events: probe.events.events, running: probe.running }),
  open: async ({ gate }: { readonly gate: string }) => {
    probe.open(gate)
    return gate
  }
})

/** The state of one breaker: how often a model failed in a row, and when it is asked again (A156). */

/** Settings of a breaker; times are in milliseconds. */
export interface BreakerSettings {
  /** How many failures in a row open it: 3 by default. */
  readonly failures?: number
  /** How long it is open first: 5 s by default. Each probe that fails doubles it. */
  readonly cooldown?: number
  /** How long it is open at most: 60 s by default. */
  readonly maxCooldown?: number
}

/** How a call ended: `answered` is whatever is not of the class that passes; `nothing` where it was interrupted. */
export type CallEnd = "answered" | "failed" | "nothing"

/** What a call is: one of many, or the one that finds out whether the model is back. */
export type Admission = { readonly probe: boolean } | { readonly wait: number }

const defaults = { failures: 3, cooldown: 5_000, maxCooldown: 60_000 }

/** Closed, it lets all calls through; open, none; when its time is over, one at a time. */
export class Breaker {
  readonly most: number
  readonly #first: number
  readonly #longest: number
  #failures = 0
  #cooldown: number
  #openUntil: number | undefined
  #probing = false

  constructor({
    cooldown = defaults.cooldown,
    failures = defaults.failures,
    maxCooldown = defaults.maxCooldown
  }: BreakerSettings) {
    this.most = failures
    this.#first = cooldown
    this.#longest = Math.max(cooldown, maxCooldown)
    this.#cooldown = cooldown
  }

  /** @returns what the call is, or for how long there is none; while a probe is under way, for no time that is known */
  admit(now: number): Admission {
    if (this.#openUntil === undefined) return { probe: false }
    if (now < this.#openUntil) return { wait: this.#openUntil - now }
    if (this.#probing) return { wait: 0 }
    this.#probing = true
    return { probe: true }
  }

  /** What an admitted call came to. One that began before the breaker opened changes nothing. */
  record(end: CallEnd, probe: boolean, now: number): void {
    if (probe) this.#probing = false
    else if (this.#openUntil !== undefined) return
    if (end === "nothing") return
    if (end === "answered") return this.#close()
    if (probe) this.#cooldown = Math.min(this.#cooldown * 2, this.#longest)
    this.#failures++
    if (probe || this.#failures >= this.most) this.#openUntil = now + this.#cooldown
  }

  #close(): void {
    this.#failures = 0
    this.#cooldown = this.#first
    this.#openUntil = undefined
  }
}

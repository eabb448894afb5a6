/**
 * The requests that this server sent to clients of the compat era and that wait for their answers, by the session or pipe
 * that they were sent to: nobody else can answer them.
 */
import type { ErrorMessage, RequestId, ResultMessage } from "@treadle/protocol/rpc"

type Answered = ResultMessage | ErrorMessage

export class OpenAsks {
  readonly #owners = new Map<string, Map<RequestId, (answer: Answered) => void>>()
  #size = 0
  #last = 0

  get size(): number {
    return this.#size
  }

  /** @returns the id of the request, fresh for as long as this server runs */
  open(owner: string, resume: (answer: Answered) => void): string {
    const id = `ask-${++this.#last}`
    const waiting = this.#owners.get(owner)
    if (waiting === undefined) this.#owners.set(owner, new Map([[id, resume]]))
    else waiting.set(id, resume)
    this.#size++
    return id
  }

  /** Nothing waits for this answer from here on. */
  close(owner: string, id: RequestId): void {
    const waiting = this.#owners.get(owner)
    if (waiting === undefined || !waiting.delete(id)) return
    if (waiting.size === 0) this.#owners.delete(owner)
    this.#size--
  }

  /** Hands over an answer; one that nothing waits for is dropped. */
  answer(owner: string, answer: Answered): void {
    const resume = answer.id === undefined ? undefined : this.#owners.get(owner)?.get(answer.id)
    if (answer.id === undefined || resume === undefined) return
    this.close(owner, answer.id)
    resume(answer)
  }
}

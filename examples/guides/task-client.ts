/** Callers of tools that take long: one that waits, and one that comes back. */

// #region client
import { connect } from "@treadle/client/promise"
import { Endpoint } from "@treadle/protocol"
import * as Schema from "effect/Schema"

const printBook = Endpoint.make("print_book", { description: "Prints a book", input: { title: Schema.String } })

export const print = async (url: string, title: string): Promise<string> => {
  await using client = await connect(url)
  return await client.call(printBook)(
    { title },
    { onTask: ({ status, statusMessage = "" }) => console.log(status, statusMessage) }
  )
}

export const order = async (url: string, title: string): Promise<string | undefined> => {
  await using client = await connect(url)
  const call = client.call(printBook).open({ title }, { keepTask: true })
  for await (const { taskId } of call.task) return taskId
  return undefined
}

export const collect = async (url: string, taskId: string): Promise<string> => {
  await using client = await connect(url)
  return await client.task(printBook)(taskId)
}
// #endregion

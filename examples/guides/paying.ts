/** A person pays on a page; the tool waits until the provider of payments says so. */
// #region paying
import { Ask, Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"
import { EventEmitter, once } from "node:events"

const provider = new EventEmitter()
const paid = new Set<string>()

/** The provider of payments calls this, through a webhook of yours. */
export const settle = (order: string) => {
  paid.add(order)
  provider.emit(`paid ${order}`)
}

export const till = Mcp.make({ name: "till", version: "1.0.0" }).tool(
  "pay",
  { description: "Pays for an order", input: { order: Schema.String } },
  async ({ order }, { ask, complete, fail, signal }) => {
    const url = `https://box.example/pay/${encodeURIComponent(order)}`
    // A client may send the call again once the page was visited: ask for what is not done yet only.
    if (!paid.has(order)) {
      const { action } = await ask("page", Ask.url({ message: `Pay for order ${order}`, url }))
      if (action !== "accept") return fail("Nothing was paid")
      // The page is open now. That it is paid, only the provider says.
      if (!paid.has(order)) await once(provider, `paid ${order}`, { signal })
      complete("page")
    }
    return `Order ${order} is paid`
  }
)
// #endregion

/** Orders as MCP tools: async handlers, Zod, and the caller's own context. */
import { Mcp } from "@treadle/server"
import * as z from "zod"
import type { OrdersDb, User } from "./domain.ts"

const Status = z.enum(["open", "shipped", "cancelled"])
const Order = z.object({ id: z.int(), status: Status, total: z.number() })

export const orders = Mcp.make<{ user: User; db: OrdersDb }>({
  name: "orders",
  version: "1.0.0",
  principal: ({ user }) => user.id
})
  .tool(
    "list_orders",
    {
      description: "Orders of the caller's organisation",
      input: z.object({ status: Status.optional(), limit: z.int().max(100).default(20) }),
      output: z.object({ orders: z.array(Order) }),
      hints: { readOnly: true }
    },
    async ({ status, limit }, { context }) => ({ orders: await context.db.list({ status, limit }) })
  )
  .tool(
    "get_order",
    { description: "One order", input: z.object({ id: z.int() }), output: Order, hints: { readOnly: true } },
    async ({ id }, { context, fail }) => (await context.db.find(id)) ?? fail(`There is no order ${id}.`)
  )
  .tool(
    "cancel_order",
    {
      description: "Cancels an open order",
      input: z.object({ id: z.int() }),
      visible: ({ user }) => user.canCancel
    },
    async ({ id }, { context, fail }) => {
      const order = await context.db.find(id)
      if (order?.status !== "open") return fail(`Order ${id} is not open.`)
      order.status = "cancelled"
      return `Order ${id} is cancelled.`
    }
  )

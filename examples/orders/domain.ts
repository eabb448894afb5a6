/** A service as it stood before MCP: users, and the orders of their organisation. */
export interface User {
  readonly id: string
  readonly organisation: string
  readonly canCancel: boolean
}

export interface OrderRow {
  readonly id: number
  status: "open" | "shipped" | "cancelled"
  readonly total: number
}

export interface OrdersDb {
  find(id: number): Promise<OrderRow | undefined>
  list(query: { status?: OrderRow["status"] | undefined; limit: number }): Promise<Array<OrderRow>>
}

const rows: Readonly<Record<string, Array<OrderRow>>> = {
  acme: [
    { id: 1, status: "open", total: 61.5 },
    { id: 2, status: "shipped", total: 12 }
  ],
  globex: [{ id: 7, status: "open", total: 3 }]
}

const users: Readonly<Record<string, User>> = {
  "Bearer ada": { id: "ada", organisation: "acme", canCancel: true },
  "Bearer bob": { id: "bob", organisation: "globex", canCancel: false }
}

export const userOf = (authorization: string | undefined): User | undefined => users[authorization ?? ""]

export const ordersFor = (organisation: string): OrdersDb => ({
  find: async (id) => rows[organisation]?.find((row) => row.id === id),
  list: async ({ status, limit }) =>
    (rows[organisation] ?? []).filter((row) => status === undefined || row.status === status).slice(0, limit)
})

/** A list that changes while it is served: those who listen are told, in both eras. */
// #region changes
import { Mcp } from "@treadle/server"
import { McpNode, type Listening } from "@treadle/server/node"

const menu = new Set(["soup", "stew", "pie"])

const kitchen = () =>
  Mcp.make({ name: "kitchen", version: "1.0.0" }).tool(
    "order",
    { description: `Orders a dish: ${[...menu].join(", ")}` },
    async () => "It takes ten minutes."
  )

export const open = async (): Promise<Listening> => McpNode.listen(kitchen())

/** However often this is called within 50 milliseconds, each listener hears it once. */
export const soldOut = (door: Listening, dish: string): Promise<void> => {
  menu.delete(dish)
  return door.live.replace(kitchen())
}
// #endregion

/** Servers made of parts: modules that are added, layers that are provided, checks that a test can make. */
// #region compose
import { Mcp } from "@treadle/server"
import { boxOffice } from "../box-office/server.ts"
import { weather } from "./weather.ts"

export const town = Mcp.make({ name: "town", version: "1.0.0", instructions: "Ask for the weather before you go out." })
  .add(boxOffice)
  .add(weather)
  .extension("com.example/opening-hours", { monday: "closed" })

/** Empty when it can be served. */
export const problems = Mcp.check(town)
// #endregion

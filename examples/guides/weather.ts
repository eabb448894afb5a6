/** The first server of the README: one async tool. */
// #region server
import { Mcp } from "@treadle/server"
import * as z from "zod"

export const weather = Mcp.make({ name: "weather", version: "1.0.0" }).tool(
  "get_forecast",
  {
    description: "Tomorrow's temperature in a city",
    input: z.object({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]).default("celsius") }),
    output: z.object({ degrees: z.number() })
  },
  async ({ city, unit }, { fail }) => {
    if (city === "Atlantis") return fail("Atlantis has no weather station.")
    return { degrees: unit === "celsius" ? 21 : 70 }
  }
)
// #endregion

/**
 * The tools of "weather".
 * Written by treadle-typegen from its tools/list: run it again instead of editing.
 */
import { Arg, Endpoint } from "@treadle/protocol"
import * as Schema from "effect/Schema"

/** Tomorrow's temperature in a city */
export const getForecast = Endpoint.make("get_forecast", {
  description: "Tomorrow's temperature in a city",
  input: { city: Schema.String, unit: Arg.withDefault(Schema.Literals(["celsius", "fahrenheit"]), "celsius") },
  output: Schema.Struct({ degrees: Schema.Finite })
})

/** For `client.bind(contract)`. */
export const contract = { getForecast }

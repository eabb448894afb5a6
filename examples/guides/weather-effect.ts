/** The same tool as an Effect, with a declared error and a service. */
// #region effect
import { Arg, Mcp } from "@treadle/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class NoStation extends Schema.TaggedError<NoStation>()("NoStation", { city: Schema.String }) {}

export class Stations extends Context.Service<
  Stations,
  { readonly read: (city: string, unit: "celsius" | "fahrenheit") => Effect.Effect<number, NoStation> }
>()("guides/Stations") {}

/** `Mcp<Stations>`: what the handlers need is in the type, until a layer or a door provides it. */
export const weather = Mcp.make({ name: "weather", version: "1.0.0" }).tool(
  "get_forecast",
  {
    description: "Tomorrow's temperature in a city",
    input: { city: Schema.String, unit: Arg.withDefault(Schema.Literals(["celsius", "fahrenheit"]), "celsius") },
    output: Schema.Struct({ degrees: Schema.Finite }),
    errors: NoStation
  },
  ({ city, unit }) =>
    Effect.map(
      Stations.use((stations) => stations.read(city, unit)),
      (degrees) => ({ degrees })
    )
)
// #endregion

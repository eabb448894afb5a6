/** Tests of the programs in this folder; the first is the README's own. */
// #region test
import { connect } from "@treadle/client/promise"
import { expect, test } from "vitest"
import { weather } from "./weather.ts"

test("the forecast of a city, without a port", async () => {
  await using client = await connect(weather)
  const result = await client.callTool("get_forecast", { city: "Oslo" })
  expect(result.structuredContent).toEqual({ degrees: 21 })
})
// #endregion

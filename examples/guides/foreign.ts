/** A server that is not ours, called by the contract that was written from its list of tools. */
// #region foreign
import { connect } from "@treadle/client/promise"
import { contract } from "./weather.contract.ts"

export const tomorrow = async (url: string, city: string): Promise<string> => {
  await using client = await connect(url)
  const weather = client.bind(contract)
  const got = await weather.getForecast.settled({ city })
  return got.ok ? `${city}: ${got.value.degrees} degrees` : got.error.message
}
// #endregion

/** A call whose time begins anew with each step that it reports. */
// #region progress
import { connect } from "@treadle/client/promise"
import { seatTheParty } from "../box-office/contract.ts"

export const seat = async (url: string, guests: ReadonlyArray<string>, signal: AbortSignal) => {
  await using client = await connect(url)
  return await client.call(seatTheParty)(
    { id: 1, guests },
    {
      timeout: 5_000,
      maxTotalTimeout: 60_000,
      onProgress: ({ done, total }) => console.log(`${done} of ${total}`),
      signal
    }
  )
}
// #endregion progress

/** The promise client: bind a contract, call it, settle it, cancel it. */
// #region client
import { connect } from "@treadle/client/promise"
import { getShow, listShows, seatTheParty } from "../box-office/contract.ts"

export const visit = async (url: string, print: (line: string) => void): Promise<void> => {
  await using client = await connect(url)
  const box = client.bind({ getShow, listShows, seatTheParty })

  for (const show of await box.listShows()) print(`${show.title}: ${show.remaining}`)

  const got = await box.getShow.settled({ id: 9 })
  if (got.ok) print(got.value.title)
  else if (got.error._tag === "ShowNotFound") print(`no show ${got.error.id}`)
  else throw got.error

  const party = box.seatTheParty.open({ id: 1, guests: ["Ada", "Grace", "Edsger"] })
  for await (const { done } of party.progress) if (done === 2) party.cancel("two are enough")
  await party.result.catch((error: Error) => print(error.message))
}
// #endregion

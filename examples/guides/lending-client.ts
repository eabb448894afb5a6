/** A reader of the library, as `sdk-lending-client.ts` has it with the official SDK. */

// #region client
import { connect } from "@treadle/client/promise"

export const borrow = async (url: string, title: string, print: (line: string) => void): Promise<void> => {
  await using client = await connect(url, {
    answers: { form: () => ({ action: "accept", content: { days: 14 } }) }
  })
  const { isError, structuredContent } = await client.callTool(
    "lend",
    { title },
    { onProgress: ({ done, total }) => print(`${done}/${total}`) }
  )
  print(isError === true ? "not lent" : JSON.stringify(structuredContent))
}
// #endregion

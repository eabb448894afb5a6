/** A client that answers what the desk asks. */
// #region answers
import { connect, decline, type Answers } from "@treadle/client/promise"

const answers: Answers = {
  form: ({ message, requestedSchema }, { server, name }) => {
    console.log(`${name ?? "A tool"} of ${server} asks: ${message}`)
    console.log(`It wants to know: ${Object.keys(requestedSchema.properties).join(", ")}`)
    return { action: "accept", content: { row: "front" } }
  },
  url: decline
}

export const book = async (url: string, show: string): Promise<string> => {
  await using client = await connect(url, { answers })
  const { content } = await client.callTool("book", { show })
  return content.map((block) => ("text" in block ? block.text : "")).join()
}
// #endregion answers

/** Parts that come and go while a server is served, by the handle of its door. */
// #region phrases
import { Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"

export const phrasebook = (language: string, hello: string) =>
  Mcp.make({ name: language, version: "1.0.0" })
    .tool(`greet_in_${language}`, { description: `Says hello in ${language}` }, async () => hello)
    .resource({ uri: `phrases://${language}`, name: language }, async () => `- ${hello}`)

/** It has nothing at the start, and says that this may change. */
export const phrases = Mcp.make({ name: "phrases", version: "1.0.0", live: { tools: true, resources: true } })

export const door = McpHttp.fetch(phrases)

export const season = async () => {
  await door.live.add(phrasebook("french", "Bonjour"))
  await door.live.add(phrasebook("german", "Guten Tag"))
  await door.live.replace(phrasebook("french", "Salut"))
  return door.live.remove({ tools: ["greet_in_german", "greet_in_danish"], resources: ["phrases://german"] })
}
// #endregion

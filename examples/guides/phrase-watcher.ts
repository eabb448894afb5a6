/** A client that keeps what a server serves up to date. */
// #region watch
import type { PromiseClient } from "@treadle/client/promise"

export const follow = async (client: PromiseClient, show: (names: ReadonlyArray<string>) => void): Promise<void> => {
  await using changes = await client.watch({ tools: true, uris: ["phrases://french"] })
  const names = async () => (await client.listTools()).map((tool) => tool.name)
  show(await names())
  for await (const change of changes) {
    if (change._tag === "ToolsChanged") show(await names())
    if (change._tag === "ResourceUpdated") show([change.uri])
  }
}
// #endregion watch

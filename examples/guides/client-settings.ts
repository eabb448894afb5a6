/** What may be set when a session is opened. */
// #region settings
import { makeCacheStore, McpClient } from "@treadle/client"

const shared = makeCacheStore()

export const careful = (url: string, token: () => Promise<string>) =>
  McpClient.http(url, {
    headers: async () => ({ authorization: `Bearer ${await token()}` }),
    timeout: 20_000,
    maxTotalTimeout: 120_000,
    ping: { interval: 15_000 },
    cache: { store: shared, context: "the night shift" },
    onLog: ({ level, data }) => console.error(level, data),
    onNoise: (text, why) => console.error(`${why}: ${text}`)
  })
// #endregion settings

/** There is no audio, and no arrays of messages. */
import { inWords, type Revision } from "./Revision.ts"
import { v2025_03_26 } from "./v2025_03_26.ts"

export const v2024_11_05: Revision = {
  ...v2025_03_26,
  version: "2024-11-05",
  batches: false,
  block: (block) =>
    block["type"] === "audio" ? inWords(`[audio, ${String(block["mimeType"])}]`) : v2025_03_26.block(block)
}

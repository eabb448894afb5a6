/** Messages may travel in arrays; there are no links to resources, no structured results, and nobody to ask in a form. */
import { inWords, type Revision } from "./Revision.ts"
import { v2025_06_18 } from "./v2025_06_18.ts"

export const v2025_03_26: Revision = {
  ...v2025_06_18,
  version: "2025-03-26",
  batches: true,
  structured: false,
  rewrites: true,
  able: (declared) => {
    const { elicitation: _, ...rest } = v2025_06_18.able(declared)
    return rest
  },
  block: (block) =>
    block["type"] === "resource_link" ? inWords(`${String(block["name"])}: ${String(block["uri"])}`) : block
}

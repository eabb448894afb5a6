/**
 * Icons, titled choices and polling streams are not known yet; readers pass over them. People are asked in forms only,
 * and models are offered no tools; context may always be included.
 */
import { isRecord } from "../json/index.ts"
import type { Revision } from "./Revision.ts"
import { v2025_11_25 } from "./v2025_11_25.ts"

export const v2025_06_18: Revision = {
  ...v2025_11_25,
  version: "2025-06-18",
  polls: false,
  able: ({ elicitation, sampling, ...rest }) => ({
    ...rest,
    ...(isRecord(elicitation) ? { elicitation: { form: {} } } : {}),
    ...(isRecord(sampling) ? { sampling: { context: {} } } : {})
  })
}

/**
 * The row of `logging/setLevel`.
 */
import { own } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import { isLogLevel, logLevels } from "@treadle/protocol/schema"
import type { Row } from "./Row.ts"

/** Sets the least level that a session hears, until it says another (LOG-05, LOG-07). */
export const logLevelRow: Row = ({ request, session }) => {
  const level = own(request.params, "level")
  if (!isLogLevel(level)) return RpcError.invalidParams(`params.level must be one of ${logLevels.join(", ")}`)
  if (session !== undefined) session.logLevel = level
  return "{}"
}

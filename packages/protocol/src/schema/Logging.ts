/**
 * Log messages from server to client. Deprecated by the specification in 2026-07-28, still served.
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

/**
 * From the most talkative to the most urgent (LOG-04).
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

/**
 * How urgent a log message is.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const LogLevel = Schema.Literals(logLevels)
export type LogLevel = typeof LogLevel.Type

/**
 * Whether a value names a level.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28.
 */
export const isLogLevel = (value: unknown): value is LogLevel => logLevels.includes(value as LogLevel)

/**
 * Whether a message of this level passes where `asked` is the least level wanted.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28.
 */
export const passesLevel = (level: LogLevel, asked: LogLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(asked)

/**
 * Parameters of `notifications/message`.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const LogMessage = Schema.Struct({
  level: LogLevel,
  logger: Schema.optionalKey(Schema.String),
  data: Schema.Json,
  _meta: Schema.optionalKey(Meta)
})
export interface LogMessage extends Schema.Schema.Type<typeof LogMessage> {}

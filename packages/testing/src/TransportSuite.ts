/**
 * The behaviour that every transport of a server must show, as one table of cases. It talks raw JSON-RPC through a peer
 * that it is given, so it shares no code with any client.
 */
import { lifeCases } from "./LifeCases.ts"
import { liveCases } from "./LiveCases.ts"
import { replyCases } from "./ReplyCases.ts"
import type { SuiteCase } from "./SuiteDoor.ts"

/** Every case. The server of each is started afresh. */
export const transportSuite: ReadonlyArray<SuiteCase> = [...replyCases, ...lifeCases, ...liveCases]

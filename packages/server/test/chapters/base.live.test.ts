/**
 * The base protocol, over every door and at every revision. Child processes have real time only.
 */
import { overEveryWire } from "../fixtures/chapter.ts"
import { cancellation } from "./Cancellation.ts"
import { lifecycle } from "./Lifecycle.ts"
import { messages } from "./Messages.ts"
import { progress } from "./Progress.ts"
import { subscriptions } from "./Subscriptions.ts"
import { transports } from "./Transports.ts"

overEveryWire([messages, lifecycle, cancellation, progress, subscriptions, transports])

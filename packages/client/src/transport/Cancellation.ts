/**
 * How a server is told that a request is given up, where it is told by a message (CANCEL-02).
 */
import { Message, type Notification, type Request } from "@treadle/protocol/rpc"

/** @param why for the server's log (CANCEL-10) */
export const cancellationOf = ({ id }: Request, why: string | undefined): Notification =>
  Message.notification("notifications/cancelled", { requestId: id, ...(why === undefined ? {} : { reason: why }) })

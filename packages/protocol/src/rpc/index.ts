export { ErrorCode, errorName, type ErrorName } from "./ErrorCode.ts"
export {
  defaultNesting,
  Message,
  printNotification,
  printResult,
  type BadMessage,
  type ErrorMessage,
  type Notification,
  type Request,
  type ResultMessage
} from "./Message.ts"
export { methodNames, methodRow, type MethodName, type MethodRow } from "./Method.ts"
export { isRequestId, requestKey, RequestId } from "./RequestId.ts"
export { RpcError } from "./RpcError.ts"

export { Arg } from "./Arg.ts"
export type {
  Args,
  ErrorsDef,
  Failure,
  Input,
  InputDef,
  Output,
  OutputDef,
  PureFields,
  PureSchema,
  Returned,
  Simplify,
  Standard
} from "./Definition.ts"
export {
  Endpoint,
  endpointOf,
  type AnyEndpoint,
  type ArgsOf,
  type Description,
  type EndpointDef,
  type FailureOf,
  type InputOf,
  type OutputOf,
  type ReturnedOf
} from "./Endpoint.ts"
export { errorSchemas, errorTag } from "./Errors.ts"
export { hintAnnotations, type Hints } from "./Hint.ts"
export { isReply, Reply } from "./Reply.ts"
export type { Route } from "./Route.ts"
export { effectCodec } from "./Codec.ts"
export { toolShape, type ShapeFault, type ToolShape, type ValueShape } from "./ToolShape.ts"

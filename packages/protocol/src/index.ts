/**
 * What every contract needs. The vocabulary of the wire has a subpath a folder: `json`, `rpc`, `schema`, `era`,
 * `framing`, `http`, `endpoint`, `trace`.
 */
export {
  Arg,
  Endpoint,
  Reply,
  type AnyEndpoint,
  type Args,
  type ArgsOf,
  type Description,
  type Failure,
  type FailureOf,
  type Hints,
  type Input,
  type InputOf,
  type Output,
  type OutputOf,
  type Returned,
  type ReturnedOf,
  type Standard
} from "./endpoint/index.ts"
export { Content } from "./schema/index.ts"

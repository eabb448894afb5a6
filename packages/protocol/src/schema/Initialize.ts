/**
 * The handshake of the compat era (INIT-01, INIT-05).
 */
import * as Schema from "effect/Schema"
import { ClientCapabilities, ServerCapabilities } from "./Capabilities.ts"
import { Implementation } from "./Implementation.ts"
import { Meta } from "./Meta.ts"

/** Parameters of `initialize`. */
export const InitializeRequest = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: ClientCapabilities,
  clientInfo: Implementation,
  _meta: Schema.optionalKey(Meta)
})
export interface InitializeRequest extends Schema.Schema.Type<typeof InitializeRequest> {}

/** What `initialize` answers; the version is the one that this session speaks. */
export const InitializeResult = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: ServerCapabilities,
  serverInfo: Implementation,
  instructions: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface InitializeResult extends Schema.Schema.Type<typeof InitializeResult> {}

export { fromBase64, textFromBase64, toBase64 } from "./Base64.ts"
export { censorOf } from "./Censor.ts"
export { nestsDeeper, tooDeep } from "./Depth.ts"
export { isJsonObject, isRecord, own, parseJson, record, type Json, type JsonObject } from "./Json.ts"
export {
  anyOfObjects,
  definitionOf,
  embed,
  hasObjectRoot,
  maxSchemaDepth,
  objectRoot,
  refuseSchema,
  resolveRoot
} from "./JsonSchema.ts"
export { nearestNames } from "./NearestNames.ts"
export { pathText, problemOptions, schemaProblems, standardProblems, type StandardIssue } from "./Problems.ts"
export { lintSchema, type SchemaFinding } from "./SchemaLint.ts"
export { lean, printSchema } from "./SchemaPrinter.ts"
export { structured, unwrap, wrap, type Structured } from "./Structured.ts"
export { namesOf, unknownNames, type UnknownName } from "./UnknownNames.ts"
export { wireDecoder, type Misfit, type WireSchema } from "./Wire.ts"

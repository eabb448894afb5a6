/**
 * What the built file for Node holds: all but the entry points that need heavy modules of Effect, and what those take
 * from it. Each entry point's own index says which of it is public there.
 */
export * from "../index.ts"
export * from "../http.ts"
export * from "./index.ts"
export { noEntries } from "../handler/Entry.ts"
export { placeBelow } from "../handler/Place.ts"
export { httpDoorParts } from "../McpHttp.ts"
export { contextPrincipal } from "../Principal.ts"
export { isMetadataPath, metadataPaths } from "../transport/ResourceMetadata.ts"
export { refused } from "../engine/Answers.ts"
export { operationRun } from "../handler/OperationRun.ts"
export { notServing, plainDoor } from "../PlainDoor.ts"
export { goneBody, notUtf8, parseText, tooLarge, utf8Text } from "../transport/HttpBody.ts"
export { httpExchange, ownerOf, pageOf, refusedResponse, toldPage } from "../transport/HttpExchange.ts"
export { makeGuard } from "../transport/HttpGuard.ts"
export { statusOf } from "../transport/HttpStatus.ts"
export { answered, noBody } from "../transport/StreamWriter.ts"
export { webResponse } from "../transport/WebExchange.ts"
export { doorOf } from "../transport/DoorSettings.ts"
export { settingErrors } from "../transport/SettingChecks.ts"

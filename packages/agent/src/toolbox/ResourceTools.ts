/**
 * Attention to resources: models are told which there are, and read the one they want by `resource.read`.
 */
import * as Effect from "effect/Effect"
import { McpError } from "@treadle/client"
import { isJsonObject, type JsonObject } from "@treadle/protocol/json"
import { ToolScope } from "../ToolScope.ts"
import { itemText, refusal, spoken, type Observation } from "./Observation.ts"
import { ownModelName, textArgument, type OwnTool } from "./OwnTool.ts"
import type { ServerLink } from "./ServerLink.ts"

const name = "resource.read"

/** The address that an error is about, as servers name it (RES-14). */
const missingUri = ({ reason }: McpError, uri: string): string => {
  const data = reason._tag === "Rpc" ? reason.data : undefined
  const said = isJsonObject(data) && Object.hasOwn(data, "uri") ? data["uri"] : undefined
  return typeof said === "string" ? said : uri
}

const read = (link: ServerLink, uri: string, runMeta: JsonObject): Effect.Effect<Observation, McpError> => {
  const options = { meta: runMeta, ...(link.timeout === undefined ? {} : { timeout: link.timeout }) }
  return Effect.map(link.session.readResource(uri, options), ({ contents }) =>
    spoken(contents.map((item) => itemText(item)).join("\n"))
  )
}

/** Reads from the first of these servers that can. */
const readFrom = (links: ReadonlyArray<ServerLink>, uri: string, runMeta: JsonObject): Effect.Effect<Observation> => {
  const [link, ...others] = links
  if (link === undefined) return Effect.succeed(refusal(`${name}: no server could read ${JSON.stringify(uri)}`))
  return Effect.catch(read(link, uri, runMeta), (error) =>
    others.length > 0
      ? readFrom(others, uri, runMeta)
      : Effect.succeed(
          refusal(`${name}: ${JSON.stringify(missingUri(error, uri))} could not be read: ${error.message}`)
        )
  )
}

/**
 * The tool that reads a resource. An address that a server lists is read from that server only; another is tried with
 * each that has resources.
 */
export const resourceRead: OwnTool = {
  name,
  modelName: ownModelName(name),
  description: "Reads the current content of a resource.",
  inputSchema: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
  run: (args, { catalog, runMeta, scope }) => {
    const uri = textArgument(args, "uri")
    if (uri === undefined) return Effect.succeed(refusal(`error: ${name} requires a 'uri'`))
    const owner = catalog.owner(uri)?.link
    const reachable = catalog.links.filter(
      (link) => ToolScope.has(scope, link.name) && link.session.capabilities.resources !== undefined
    )
    const links = owner === undefined ? reachable : reachable.filter((link) => link === owner)
    return readFrom(links, uri, runMeta)
  }
}

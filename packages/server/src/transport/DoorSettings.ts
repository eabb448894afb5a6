/**
 * Which door reads which setting. One that a door does not read would silently not hold, so it is refused there, with the
 * place where it belongs.
 */
import { isRecord } from "@treadle/protocol/json"

const ofEveryDoor = ["limits", "onDefect", "sessions", "stateKeys"]
const overHttp = [...ofEveryDoor, "hosts", "origins", "cors", "replies", "auth"]
const ofApplications = [...overHttp, "principal", "request"]

/** What a door reads, by its kind. `pipe` is a door without HTTP. */
export const doorSettings = {
  pipe: ofEveryDoor,
  http: overHttp,
  sse: [...overHttp, "messages"],
  listen: [...overHttp, "port", "host", "path", "tls"],
  router: [...ofApplications, "path"],
  routes: [...ofApplications, "prefix", "mcp", "openapi", "docs"]
} satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type DoorKind = keyof typeof doorSettings

const ofHttp = "it is a setting of the doors over HTTP, such as McpNode.handler and McpHttp.fetch"
const ofListen = "it is a setting of McpNode.listen"
const ofSse = "it is a setting of McpNode.sse and McpHttp.sse"
const ofRoutes = "it is a setting of HttpRoutes"

/** Where a setting belongs that not every door reads. */
const places: Readonly<Record<string, string>> = {
  hosts: ofHttp,
  origins: ofHttp,
  cors: ofHttp,
  replies: ofHttp,
  auth: ofHttp,
  messages: ofSse,
  port: ofListen,
  host: ofListen,
  tls: ofListen,
  path: "it is a setting of McpNode.listen and McpRouter; HttpRoutes has mcp for it, and any other door is mounted where the application says",
  principal:
    "it is a setting of McpRouter and HttpRoutes; give Mcp.make a principal, which tells it from the context of a request",
  request: "it is a setting of McpRouter and HttpRoutes; any other door takes the context of a request beside it",
  prefix: ofRoutes,
  mcp: ofRoutes,
  openapi: ofRoutes,
  docs: ofRoutes
}

/** Why a door does not take a setting of other doors; `undefined` where no door has it. */
export const placeElsewhere = (setting: string): string | undefined => {
  const place = Object.hasOwn(places, setting) ? places[setting] : undefined
  return place === undefined ? undefined : `this door does not read it; ${place}`
}

/** The settings of a door, with what it knows of itself. What is no object stays as it is, to be refused with the rest. */
export const doorOf = <S extends object, M extends { readonly door: DoorKind }>(settings: S, own: M): S & M =>
  isRecord(settings) ? { ...settings, ...own } : (settings as S & M)

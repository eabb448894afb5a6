/**
 * What a served thing tells clients that it can do. It is settled at the start, from the entries that there are and from
 * what the author says of changes.
 */
import { tasksExtension, type ServerCapabilities } from "@treadle/protocol/schema"
import type { Entries } from "../../handler/Entry.ts"
import { proposes } from "../../handler/LiveChecks.ts"
import type { LiveSettings } from "../../Live.ts"
import type { ServerInfo } from "../../ServerInfo.ts"
import type { Told } from "./Hub.ts"

const list = (live: boolean | undefined, count: number): { readonly listChanged?: boolean } | undefined => {
  if (count === 0 && live !== true) return undefined
  return live === false ? {} : { listChanged: true }
}

/** Where a list may get any entry at all, it may get one whose arguments are completed. */
const completes = ({ prompts, templates }: Entries, live: LiveSettings): boolean =>
  live.prompts === true || live.resources === true || [...prompts, ...templates].some(proposes)

/** Whether a call of any entry may become a task; who wants to add such a tool later declares the extension. */
const mayBecomeTasks = ({ catalogs, operations }: Entries): boolean =>
  operations.some(({ promoted, settings }) => settings.task !== undefined && (promoted || catalogs.length > 0))

/** What is declared: what the author says, and that there are tasks, where there can be any (TASK-01). */
const extensionsOf = (entries: Entries, keepsTasks: boolean): ServerCapabilities["extensions"] => {
  const declared = entries.extensions.flatMap(({ id, settings }) =>
    keepsTasks || id !== tasksExtension ? [[id, settings] as const] : []
  )
  const all = keepsTasks && mayBecomeTasks(entries) ? [...declared, [tasksExtension, {}] as const] : declared
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

/** @param keepsTasks whether a task can be kept at all */
export const capabilitiesOf = (
  entries: Entries,
  { live, logging }: Pick<ServerInfo, "live" | "logging">,
  keepsTasks: boolean
): ServerCapabilities => {
  const extensions = extensionsOf(entries, keepsTasks)
  const tools = list(live.tools, entries.catalogs.length + entries.operations.filter(({ promoted }) => promoted).length)
  const prompts = list(live.prompts, entries.prompts.length)
  const resources = list(live.resources, entries.resources.length + entries.templates.length)
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(resources === undefined
      ? {}
      : { resources: { ...(live.subscriptions === false ? {} : { subscribe: true }), ...resources } }),
    ...(prompts === undefined ? {} : { prompts }),
    ...(completes(entries, live) ? { completions: {} } : {}),
    ...(!logging || (tools === undefined && prompts === undefined && resources === undefined) ? {} : { logging: {} }),
    ...(extensions === undefined ? {} : { extensions })
  }
}

/** Whether clients were told that they may hear of such a change (TOOL-04, RES-13). */
export const announces = ({ prompts, resources, tools }: ServerCapabilities, change: Told): boolean => {
  switch (change._tag) {
    case "tools":
      return tools?.listChanged === true
    case "prompts":
      return prompts?.listChanged === true
    case "resources":
      return resources?.listChanged === true
    case "resource":
      return resources?.subscribe === true
    case "task":
      return true
  }
}

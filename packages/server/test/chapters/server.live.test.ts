/**
 * What a server offers, over every door and at every revision. Child processes have real time only.
 */
import { overEveryWire } from "../fixtures/chapter.ts"
import { caching } from "./Caching.ts"
import { catalog } from "./Catalog.ts"
import { completion } from "./Completion.ts"
import { liveChanges } from "./LiveChanges.ts"
import { logging } from "./Logging.ts"
import { pagination } from "./Pagination.ts"
import { prompts } from "./Prompts.ts"
import { resources } from "./Resources.ts"
import { tasks } from "./Tasks.ts"
import { tools } from "./Tools.ts"

overEveryWire([tools, catalog, resources, prompts, completion, pagination, caching, logging, liveChanges, tasks])

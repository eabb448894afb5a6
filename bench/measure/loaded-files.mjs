// Preloaded into a process, it appends the URL of every module that is loaded to the file named in BENCH_LOADED.
import { register } from "node:module"

const hooks = `
  import { appendFileSync } from "node:fs"
  export const load = (url, context, next) => {
    appendFileSync(process.env.BENCH_LOADED, url + "\\n")
    return next(url, context)
  }
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

// Measures Treadle beside its peers and writes bench/results.json. Builds first where needed.
// `--quick` takes fewer rounds; `--only http,list,stdio,start,memory,streams,heap,client,agents` takes some of the cases.
import path from "node:path"
import { parseArgs } from "node:util"
import { install, root, run } from "./tools.mjs"

const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string", multiple: true } } })

install()
run(process.execPath, [path.join(root, "scripts", "build.mjs"), "--if-needed"])
const { bench } = await import("../bench/main.mjs")
const only = values.only?.flatMap((names) => names.split(","))
await bench({ quick: values.quick ?? false, ...(only === undefined ? {} : { only }) })

/** Serves orders on a port: `node main.js`, then call it with `Authorization: Bearer ada`. */
import { makeApp } from "./app.ts"

const port = Number(process.env["PORT"] ?? 3000)
makeApp().app.listen(port, "127.0.0.1", () => console.log(`Orders serve MCP at http://127.0.0.1:${port}/mcp`))

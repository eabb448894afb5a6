import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

/** Tests run on sources: the `@treadle/source` export condition stands before the built files. */
const conditions = ["@treadle/source", "node"]

const project = (name: string, include: ReadonlyArray<string>, isolate = false) => ({
  extends: true as const,
  test: { name, include: [...include], isolate }
})

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Files that a worker runs share what they import, which takes longer to load than most of them take to run; those of
    // the examples are programs, each of which is alone in its process.
    maxWorkers: availableParallelism(),
    projects: [
      project("protocol", ["packages/protocol/test/**/*.test.ts"]),
      project("server", ["packages/server/test/**/*.test.ts"]),
      project("client", ["packages/client/test/**/*.test.ts"]),
      project("oauth", ["packages/oauth/test/**/*.test.ts"]),
      project("agent", ["packages/agent/test/**/*.test.ts"]),
      project("examples", ["examples/*/*.test.ts"], true),
      project("repository", ["test/**/*.test.ts"])
    ]
  }
})

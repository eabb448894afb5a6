// Preloaded into a server that runs with --expose-gc, it tells what the process keeps after a collection.
process.on("message", () => {
  setTimeout(() => {
    globalThis.gc()
    globalThis.gc()
    const { rss, heapUsed, external } = process.memoryUsage()
    process.send({ rss, heap: heapUsed + external })
  }, 100)
})
process.channel?.unref()

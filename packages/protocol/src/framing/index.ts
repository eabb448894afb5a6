export type { DirectPeer, DirectServer, DirectSink } from "./Direct.ts"
export { linePair, type LinePort, type LineReader } from "./LinePort.ts"
export { LineCutter, webUtf8, type DecodeUtf8, type Line } from "./Lines.ts"
export { printSse, sseComment, sseRetry, SseReader, type SseEvent, type SseFields } from "./SseFrames.ts"

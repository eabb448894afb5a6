export { requestSpan, spanEnd, type SpanFacts, type SpanOutcome } from "./RequestSpan.ts"
export { readTrace, writeTrace } from "./TraceContext.ts"

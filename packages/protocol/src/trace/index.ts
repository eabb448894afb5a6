export { requestSpan, spanEnd, type SpanFacts, type SpanOutcome } from "./RequestSpan.ts"
export { Carried, readTrace, writeTrace } from "./TraceContext.ts"

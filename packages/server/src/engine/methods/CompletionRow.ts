/**
 * The row of `completion/complete`.
 */
import * as Result from "effect/Result"
import { RpcError } from "@treadle/protocol/rpc"
import { ClientRequest, type CompletionReference } from "@treadle/protocol/schema"
import type { Dress } from "../../envelope/Dress.ts"
import { propose, type Completable } from "../../handler/CompletionHandler.ts"
import { completionReply } from "../../reply/CompletionReply.ts"
import { internalError } from "../../reply/ErrorReply.ts"
import type { ServedEntry } from "../offer/ListTable.ts"
import type { Offer } from "../offer/Offer.ts"
import type { Row } from "./Row.ts"

type Subjects = Pick<Offer, "prompts" | "templates">

const find = (
  { prompts, templates }: Subjects,
  ref: CompletionReference,
  context: unknown
): ServedEntry<Completable> | RpcError => {
  if (ref.type === "ref/prompt") {
    return (
      prompts.find(ref.name, context) ??
      RpcError.invalidParams(`Unknown prompt ${JSON.stringify(ref.name)}; see prompts/list`)
    )
  }
  const { uri } = ref
  return (
    templates.find(uri, context) ??
    RpcError.invalidParams(`Unknown template ${JSON.stringify(uri)}; see resources/templates/list`, { uri })
  )
}

/** Proposes values of an argument (COMP-02, COMP-03); of one that nobody proposes values for, none. */
export const completionRow =
  (subjects: Subjects, dress: Dress): Row =>
  ({ inbound, request, revision }) => {
    const decoded = ClientRequest.decode("completion/complete", request.params)
    if (Result.isFailure(decoded)) return decoded.failure
    const { argument, context, ref } = decoded.success.params
    const subject = find(subjects, ref, inbound.context)
    if ("_tag" in subject) return subject
    const { completers, names } = subject.handler
    if (!names.includes(argument.name)) {
      const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`
      return RpcError.invalidParams(`Unknown argument ${JSON.stringify(argument.name)}; ${known}`)
    }
    const completer = completers.get(argument.name)
    if (completer === undefined) return dress.result(completionReply(argument.name, []), revision)
    const typed = { argument: argument.name, value: argument.value, chosen: { ...context?.arguments } }
    return {
      name: `completion of ${argument.name}`,
      effect: (call) => propose(completer, typed, call),
      services: subject.services,
      lease: subject.lease,
      timeout: undefined,
      died: internalError
    }
  }

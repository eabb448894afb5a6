/**
 * One template as the engine sees it: which URIs it has the form of, and what runs when one of them is read.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { isRecord } from "@treadle/protocol/json"
import { UriTemplate, type ResourceTemplate } from "@treadle/protocol/schema"
import type { Call } from "../CurrentCall.ts"
import type { ReadDefinition, TextFields } from "../ResourceDefinition.ts"
import { completersOf, type AnyCompleters, type Completable } from "./CompletionHandler.ts"
import { described, reading, refusing, type Reading, type Refusing } from "./ResourceHandler.ts"
import { textArguments, type TextArguments } from "./TextArguments.ts"

/** A template, its types forgotten. */
export interface AnyTemplateDefinition extends ReadDefinition<never> {
  readonly uriTemplate: string
  readonly variables?: TextFields
  readonly complete?: AnyCompleters
}

/** The author's function, its types forgotten. */
export type AnyTemplateReader = (variables: never, call: Call<never, never>) => unknown

/** What a URI of a template's form is served by. */
export interface Matched {
  readonly reading: Reading
  /** Whether clients may hear of it, where that has to be asked. */
  readonly refusing: Refusing | undefined
}

export interface TemplateHandler extends Completable {
  /** The template as it was written, by which completions name it. */
  readonly key: string
  readonly listing: string
  readonly visible: ((context: never) => boolean) | undefined
  /** The scopes that a caller needs over HTTP. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** Milliseconds until a read is given up, where the author set one. */
  readonly timeout: number | undefined
  /** What serves a URI of this form; every problem where its variables do not fit; nothing for any other URI. */
  readonly match: (uri: string) => Result.Result<Matched, ReadonlyArray<string>> | undefined
}

const isOptional = (field: Schema.Constraint): boolean => SchemaAST.isOptional(SchemaAST.toEncoded(field.ast))

/** The schemas of the variables. A URI decides which of them are there, so each of them may be absent. */
export const variableArguments = (variables: TextFields | undefined): TextArguments =>
  textArguments(
    !isRecord(variables)
      ? variables
      : Object.fromEntries(
          Object.entries(variables).map(([name, field]) => [
            name,
            Schema.isSchema(field) && !isOptional(field) ? Schema.optionalKey(field) : field
          ])
        )
  )

/**
 * The handler of a template.
 *
 * @param definition one that the builder has checked
 */
export const templateHandler = (
  definition: AnyTemplateDefinition,
  read: AnyTemplateReader,
  refuse?: AnyTemplateReader
): TemplateHandler => {
  const { complete, scopes, timeout, uriTemplate, variables, visible } = definition
  const template = Result.getOrThrow(UriTemplate.parse(uriTemplate))
  const { decode } = variableArguments(variables)
  const listing: ResourceTemplate = { uriTemplate, ...described(definition) }
  return {
    key: uriTemplate,
    listing: JSON.stringify(listing),
    visible,
    scopes,
    timeout,
    names: template.variables,
    completers: completersOf(complete),
    match: (uri) => {
      const found = template.match(uri)
      if (found === undefined) return undefined
      const texts = { ...found }
      const decoded = Effect.runSync(Effect.result(decode(texts)))
      if (Result.isFailure(decoded)) return Result.fail(decoded.failure.problems)
      const values = { ...texts, ...(decoded.success as object) }
      return Result.succeed({
        reading: reading(definition, uri, (call) => read(values as never, call)),
        refusing: refuse === undefined ? undefined : refusing((call) => refuse(values as never, call))
      })
    }
  }
}

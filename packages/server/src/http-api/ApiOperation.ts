/**
 * One operation of an `HttpApi`: its endpoint, where it stands, and why it cannot be a tool, where it cannot. Pure.
 */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpMethod from "effect/http/HttpMethod"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { PureSchema } from "@treadle/protocol/endpoint"
import { objectRoot, printSchema } from "@treadle/protocol/json"

export interface ApiOperation {
  readonly api: HttpApi.Top
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
  /** What it answers with at once: neither streams nor upgrades. */
  readonly successes: ReadonlyArray<Schema.Top>
  /** What it fails with, what its middleware fails with included. */
  readonly errors: ReadonlyArray<Schema.Top>
}

/** Why an operation is no tool, and what to do. */
export interface Obstacle {
  readonly message: string
  readonly cure: string
}

/** The operations of an api by their names. */
export const operationsOf = (api: HttpApi.Top): ReadonlyMap<string, ApiOperation> => {
  const operations = new Map<string, ApiOperation>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      operations.set(`${group.identifier}.${endpoint.identifier}`, {
        api,
        group,
        endpoint,
        successes: [...successes.values()].flat(),
        errors: [...errors.values()].flat()
      })
    }
  })
  return operations
}

/** What the author has said of an endpoint for people; what is said of its group or its api is about those. */
export const saidOf = ({ annotations }: HttpApiEndpoint.Top) => {
  const summary = Context.getOrUndefined(annotations, OpenApi.Summary)
  const description = Context.getOrUndefined(annotations, OpenApi.Description)
  return { description: description ?? summary, title: description === undefined ? undefined : summary }
}

const bodyOf = (schema: Schema.Top): Schema.Top => (HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema)

/** Whether its body is made with headers beside it. */
const hasHeaders = SchemaAST.resolveAt<object>("~httpApiWithHeaders")

const encodingOf = SchemaAST.resolveAt<{ readonly _tag: string; readonly contentType: string }>("~httpApiEncoding")

/** The schema of a value that its response does not show as it is: an empty body, or one with headers beside it. */
const shownWhole = (schema: Schema.Top): Schema.Top =>
  HttpApiSchema.isNoContent(schema.ast) || hasHeaders(schema.ast) !== undefined ? Schema.toType(schema) : schema

/** The texts of a class are about its JSON form too, which would not show them. */
const told = (schema: Schema.Top): Schema.Top => {
  const [description, title] = [SchemaAST.resolveDescription(schema.ast), SchemaAST.resolveTitle(schema.ast)]
  return schema.ast._tag !== "Declaration" || (description === undefined && title === undefined)
    ? schema
    : Schema.toCodecJson(schema).pipe(
        Schema.annotateEncoded({
          ...(description === undefined ? {} : { description }),
          ...(title === undefined ? {} : { title })
        })
      )
}

/** The schema of what the operation gives; nothing where it gives nothing. */
export const successOf = ({ successes }: ApiOperation): Schema.Top | undefined => {
  const schemas = successes.map((one) => told(shownWhole(bodyOf(one))))
  const schema = schemas.length < 2 ? schemas[0] : Schema.Union(schemas)
  return schema?.ast._tag === "Void" ? undefined : schema
}

/**
 * The schemas of what the operation fails with. They are of the errors themselves, because a response may hold less: a
 * status alone, or the members of a problem.
 */
export const errorsOf = ({ errors }: ApiOperation): ReadonlyArray<PureSchema> =>
  errors.map((one) => told(Schema.toType(bodyOf(one))) as unknown as PureSchema)

/** What the answer of an operation is, where it is none that JSON holds at once. */
const otherAnswer = (schema: Schema.Top): string => {
  const { contentType, protocol } = bodyOf(schema) as { readonly contentType?: string; readonly protocol?: string }
  return protocol === undefined
    ? `it answers with a stream of ${contentType ?? "bytes"}`
    : `it upgrades the connection to ${protocol}`
}

const answerObstacles = ({ endpoint, successes }: ApiOperation): ReadonlyArray<string> => [
  ...[...endpoint.success].filter((schema) => !successes.includes(schema)).map(otherAnswer),
  ...successes.flatMap((schema) => {
    const body = bodyOf(schema)
    const { _tag, contentType } = encodingOf(schema.ast) ?? encodingOf(body.ast) ?? { _tag: "Json", contentType: "" }
    return _tag === "Json" || HttpApiSchema.isNoContent(body.ast) ? [] : [`it answers with ${contentType}`]
  })
]

const payloadObstacles = ({ method, payload }: HttpApiEndpoint.Top): ReadonlyArray<string> => {
  const encodings = [...payload.values()].map(({ encoding }) => encoding)
  return encodings.length === 0 || !HttpMethod.hasBody(method) || encodings.some(({ _tag }) => _tag === "Json")
    ? []
    : [`its body is ${encodings.map(({ contentType }) => contentType).join(" or ")}`]
}

const errorObstacles = (operation: ApiOperation): ReadonlyArray<Obstacle> =>
  errorsOf(operation).flatMap((schema) => {
    const printed = printSchema(schema)
    return objectRoot(printed) === undefined
      ? [
          {
            message: `it declares an error that is no object (${JSON.stringify(printed)})`,
            cure: "Declare an error class in its place"
          }
        ]
      : []
  })

/** Why an operation is no tool, whatever its arguments are. */
export const obstaclesOf = (operation: ApiOperation): ReadonlyArray<Obstacle> => [
  ...[...payloadObstacles(operation.endpoint), ...answerObstacles(operation)].map((message) => ({
    message,
    cure: "A tool takes and gives JSON: promote another operation"
  })),
  ...errorObstacles(operation)
]

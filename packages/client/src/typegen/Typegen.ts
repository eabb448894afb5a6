/**
 * Writes the contract of a server from its list of tools: a TypeScript module with an endpoint for each tool, so that
 * unknown tools, unknown arguments and values of another type are compile errors.
 */
import { ToolName, type Tool } from "@treadle/protocol/schema"
import * as Result from "effect/Result"
import { call, docComment, entry, layOut, mentions, sequence, table, text, type Code } from "./Code.ts"
import { definitionsOf } from "./Definitions.ts"
import { DeclaredErrors } from "./DeclaredErrors.ts"
import { constantName, Names } from "./Names.ts"
import type { Shape } from "./Shape.ts"
import { argumentsCode, shapeCode, type Naming } from "./ShapeCode.ts"
import { toolParts, type Part, type ToolParts } from "./ToolParts.ts"

/** What is written beside the tools. */
export interface ContractSettings {
  /** The name of the server, for the comment at the head of the module; `a server` by default. */
  readonly server?: string | undefined
}

/** Something of a tool that its endpoint does not say. */
export interface ContractNote {
  /** The name of the tool, as it was listed. */
  readonly tool: string
  /** Where, as `input.guests[].name`; empty for the tool as a whole. */
  readonly path: string
  readonly message: string
}

/** A contract as code. */
export interface Contract {
  /** A TypeScript module that imports `@treadle/protocol` and `effect/Schema`. */
  readonly text: string
  /** What it does not say, in the order of the tools. The same words stand in the text, where they belong. */
  readonly notes: ReadonlyArray<ContractNote>
}

interface Named {
  readonly parts: ToolParts
  readonly constant: string
  /** What is said of the tool as a whole. */
  readonly remarks: ReadonlyArray<string>
}

const inputCode = ({ shape }: Part, naming: Naming): Code =>
  shape._tag === "Struct" && !shape.open && Object.keys(shape.said).length === 0
    ? argumentsCode(shape.fields, naming)
    : shapeCode(shape, naming)

/** Not whether a call may be repeated: the contract is the caller's word for that, and this is a stranger's */
const hintsCode = ({ annotations = {} }: Tool): Code | undefined => {
  const hints = Object.entries({
    destructive: annotations.destructiveHint,
    openWorld: annotations.openWorldHint
  }).flatMap(([key, value]) => (value === undefined ? [] : [entry(key, String(value))]))
  return hints.length === 0 ? undefined : table(hints)
}

const errorsCode = ([first, ...others]: ReadonlyArray<string>): Code | undefined =>
  first === undefined ? undefined : others.length === 0 ? first : sequence([first, ...others])

/** The name as an argument: the compiler refuses a literal that is no tool name, so such a one is any string to it. */
const nameCode = (name: string): string =>
  Result.isSuccess(ToolName.from(name)) ? text(name) : `${text(name)} as string`

const endpointCode = ({ parts }: Named, naming: Naming, errors: DeclaredErrors): Code => {
  const { input, output, tool } = parts
  const said = (key: string, code: Code | undefined, notes: ReadonlyArray<string> = []) =>
    code === undefined ? [] : [entry(key, code, notes)]
  const definition = table(
    [
      ...said("title", tool.title === undefined ? undefined : text(tool.title)),
      ...said("description", text(tool.description ?? "")),
      ...said("input", input && inputCode(input, naming), input?.notes),
      ...said("output", output && shapeCode(output.shape, naming), output?.notes),
      ...said("errors", errorsCode(parts.errors.map((error) => errors.nameOf(error, naming)))),
      ...said("hints", hintsCode(tool))
    ],
    true
  )
  return call("Endpoint.make", nameCode(tool.name), definition)
}

const endpointText = ({ constant, parts, remarks }: Named, code: Code): string => {
  const start = `export const ${constant} = `
  return `${docComment(parts.tool.description ?? "", ...remarks)}${start}${layOut(code, 0, start.length)}\n`
}

/** The lines that import what the code names; a compiler may refuse those that are not needed. */
const importsText = (codes: ReadonlyArray<Code>, hasSchemas: boolean): string => {
  const names = ["Arg", "Endpoint"].filter((name) => codes.some((code) => mentions(code, name)))
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(", ")} } from "@treadle/protocol"\n`]),
    ...(hasSchemas || codes.some((code) => mentions(code, "Schema"))
      ? ['import * as Schema from "effect/Schema"\n']
      : [])
  ].join("")
}

const advice = "Written by treadle-typegen from its tools/list: run it again instead of editing."

const moduleText = (named: ReadonlyArray<Named>, names: Names, server: string): string => {
  const shapes = named.flatMap(({ parts }): ReadonlyArray<Shape> => [
    ...(parts.input === undefined ? [] : [parts.input.shape]),
    ...(parts.output === undefined ? [] : [parts.output.shape]),
    ...parts.errors.flatMap(({ fields }) => fields.map(({ shape }) => shape))
  ])
  const { naming, texts: definitions } = definitionsOf(shapes, names)
  const errors = new DeclaredErrors(names)
  const endpoints = named.map((one) => ({ one, code: endpointCode(one, naming, errors) }))
  const codes = endpoints.map(({ code }) => code)
  const schemas = [...definitions, ...errors.texts]
  const contract = table(named.map(({ constant }) => entry(constant, constant)))
  const start = "export const contract = "
  return [
    docComment(`The tools of ${server}.`, advice) + importsText(codes, schemas.length > 0),
    ...schemas,
    ...endpoints.map(({ code, one }) => endpointText(one, code)),
    `/** For \`client.bind(contract)\`. */\n${start}${layOut(contract, 0, start.length)}\n`
  ].join("\n")
}

/**
 * The contract of a list of tools.
 *
 * Each tool becomes an endpoint, in the order of the list; the endpoints together are `contract`, for
 * `client.bind(contract)`. The same list gives the same text. What a JSON Schema says and no schema of a contract can
 * say is left out, so that a value is never refused without need, and noted. Nothing that a server wrote becomes code,
 * nothing is fetched, and nothing throws.
 *
 * @param tools what `session.listTools()` gave
 * @param settings the name of the server
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 *
 * @example
 * ```ts
 * import { contractOf } from "@treadle/client/typegen"
 *
 * const { text } = contractOf([
 *   {
 *     name: "get_show",
 *     description: "One show",
 *     inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
 *   }
 * ])
 * text.split("\n").slice(8, 11)
 * // => ['export const getShow = Endpoint.make("get_show", {', '  description: "One show",', "  input: { id: Schema.Int }"]
 * ```
 */
export const contractOf = (tools: ReadonlyArray<Tool>, settings: ContractSettings = {}): Contract => {
  const names = new Names()
  const notes: Array<ContractNote> = []
  const seen = new Set<string>()
  const named = tools.flatMap((tool): ReadonlyArray<Named> => {
    const note = (path: string, message: string) => notes.push({ tool: tool.name, path, message })
    if (seen.has(tool.name)) {
      note("", "it is left out: the name is listed twice")
      return []
    }
    seen.add(tool.name)
    const checked = ToolName.from(tool.name)
    const strange = Result.isFailure(checked) ? [`Its name breaks the rules for names: ${checked.failure}.`] : []
    for (const message of strange) note("", message)
    const parts = toolParts(tool, note)
    const constant = names.take(constantName(tool.name), "Tool")
    return [{ parts, constant, remarks: [...strange, ...parts.remarks] }]
  })
  const { server } = settings
  return {
    text: moduleText(named, names, server === undefined ? "a server" : JSON.stringify(server)),
    notes
  }
}

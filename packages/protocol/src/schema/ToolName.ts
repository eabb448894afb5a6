/**
 * The grammar of tool names: 1 to 128 characters of `A-Z a-z 0-9 _ - .`, case-sensitive (TOOL-05).
 *
 * A literal is checked by the compiler, any other string by `ToolName.from`.
 */
import * as Result from "effect/Result"

type Lower =
  | ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m")
  | ("n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z")
type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
type Allowed = Lower | Uppercase<Lower> | Digit | "_" | "-" | "."
type FirstBad<S extends string> = S extends `${infer C}${infer Rest}` ? (C extends Allowed ? FirstBad<Rest> : C) : never

/** The literal itself when it is a tool name, otherwise a sentence that says why it is none. */
export type ToolName<S extends string> = string extends S
  ? S
  : S extends ""
    ? "a tool name must not be empty"
    : [FirstBad<S>] extends [never]
      ? S
      : `"${FirstBad<S>}" is not allowed in a tool name (A-Z a-z 0-9 _ - .)`

/** The longest tool name. */
const maxLength = 128

/**
 * Checks a name.
 *
 * @returns the name, or a sentence that names the rule it breaks and where
 */
const from = (name: string): Result.Result<string, string> => {
  if (name === "") return Result.fail("a tool name must not be empty")
  const at = name.search(/[^A-Za-z0-9_.-]/)
  if (at >= 0) {
    const bad = JSON.stringify(String.fromCodePoint(name.codePointAt(at) ?? 0))
    return Result.fail(`${bad} at ${at} is not allowed in a tool name (A-Z a-z 0-9 _ - .)`)
  }
  if (name.length > maxLength) {
    return Result.fail(`a tool name has at most ${maxLength} characters, this one has ${name.length}`)
  }
  return Result.succeed(name)
}

/**
 * @example
 * ```ts
 * import { ToolName } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 *
 * Result.isSuccess(ToolName.from("get_show")) // => true
 * ```
 */
export const ToolName = { from, maxLength }

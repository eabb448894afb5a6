/**
 * URIs of resources: checked when a resource is defined, compared when one is asked for.
 */
import * as Result from "effect/Result"
import { UriTemplate } from "@treadle/protocol/schema"

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/
const brokenTriplet = /%(?![0-9A-Fa-f]{2})/

/** Why a text has no scheme to begin with. */
export const schemeProblem = (uri: string): string | undefined =>
  scheme.test(uri) ? undefined : `it does not begin with a scheme, as "box-office:" in "box-office://board"`

/** Why a text is no URI, or `undefined` where it is one. Letters beyond ASCII are taken as their encoded form. */
export const uriProblem = (uri: string): string | undefined => {
  const withoutScheme = schemeProblem(uri)
  if (withoutScheme !== undefined) return withoutScheme
  if (/\{[^{}]*\}/.test(uri)) return "it has a variable in braces: add it with template(…)"
  const broken = uri.search(brokenTriplet)
  if (broken >= 0) return `the "%" at ${broken} begins no encoded byte: write %25`
  const bad = uri.search(/[\p{Cc}\s"<>\\^`{|}]/u)
  if (bad < 0) return undefined
  const char = uri.charAt(bad)
  return `${JSON.stringify(char)} at ${bad} is not allowed in a URI: write ${encodeURIComponent(char)}`
}

/** The form in which equal URIs are equal text; `undefined` for what is no URI. */
export const canonicalUri = (uri: string): string | undefined => {
  const parsed = UriTemplate.parse(uri)
  return Result.isFailure(parsed) || parsed.success.variables.length > 0 ? undefined : parsed.success.expand({})
}

/** What a resource is found by: equal URIs are one, however they are written, and what is no URI is itself. */
export const uriKey = (uri: string): string => canonicalUri(uri) ?? uri

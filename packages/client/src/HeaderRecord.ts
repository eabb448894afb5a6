/**
 * Headers that are given to a request.
 */

/** Headers by name. */
export interface HeaderRecord {
  readonly [name: string]: string
}

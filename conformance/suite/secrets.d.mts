/** One record of the suite. */
export interface Recorded {
  readonly id: string
  readonly description: string
  readonly details?: unknown
}

export declare const leaksIn: (
  checks: ReadonlyArray<Recorded>,
  context: unknown,
  printed: { readonly [file: string]: string }
) => ReadonlyArray<string>

import type { BuildOptions } from "esbuild"

export declare const bundle: (entry: string, outfile: string, options?: BuildOptions) => Promise<void>
export declare const addCodeCache: (file: string) => void

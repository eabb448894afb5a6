/** Markdown pages whose code is taken from programs, relative to the repository. */
export declare const pages: () => ReadonlyArray<string>
/** The text of a page with its code taken anew. */
export declare const synced: (text: string) => string

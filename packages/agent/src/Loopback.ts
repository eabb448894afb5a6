/**
 * Whether a host is this machine, where text without encryption may go.
 */

/** @param host as a `URL` has it */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)

/**
 * Names of this machine that no other machine is reached by.
 */

const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|::1|\[::1\])$/i

/** Whether a host, without a port, is this machine. */
export const isLoopbackHost = (host: string): boolean => loopback.test(host)

/**
 * Processes that a test looks after.
 */

/** Whether there is such a process. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * How the calls of a tool become tasks: the caller is answered at once with the promise of a result, and asks for it
 * later. Tasks are an extension of the native era; a call in a session is always an ordinary one.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */

/** What an author says of the tasks of a tool. */
export interface TaskOptions {
  /**
   * Whether a native client that does not declare the extension is refused with -32021. Default false: its call is an
   * ordinary one (TASK-03).
   */
  readonly required?: boolean
  /**
   * Where the task begins: before the handler runs, which is the default, or `later`, where the handler calls
   * `startTask`. Until then the call is an ordinary one, and what it asks is asked in rounds (TASK-07).
   */
  readonly begins?: "at-once" | "later"
  /**
   * Milliseconds for which a task and its result are kept, counted from its creation; `null` for as long as it is served.
   * Default, and the most that a number can say: `limits.taskTtl`.
   */
  readonly ttl?: number | null
  /** Milliseconds that clients are told to wait between two looks at a task. Default 1,000. */
  readonly pollInterval?: number
}

/** `optional` is `{}`, and `required` is `{ required: true }`. */
export type TaskOption = "optional" | "required" | TaskOptions

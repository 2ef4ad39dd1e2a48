/** Maximum bytes of an account, which the store compares in the statements that add them. */
export interface StoreLimits {
  /** Of the inputs of queued runs that wait or run. */
  readonly queueBytes: number
}

/** For a program that serves no callers. */
export const noLimits: StoreLimits = { queueBytes: Number.MAX_SAFE_INTEGER }

import type { TaskErrorCode } from '../run/task-execution.ts'

/** An error of a run that the gateway reports; it has no position in the script. */
export function errorWithoutPosition<Code extends TaskErrorCode>(code: Code, message: string) {
  return { code, message, line: null, column: null, stack: null }
}

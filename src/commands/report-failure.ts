import { RostrumError, StartError } from '../errors.ts'
import { UsageError, usageExitCode } from './parse-flags.ts'

/** Writes to standard error why a command failed, and returns the exit code of the process. */
export function reportFailure(error: unknown): number {
  const expected = [StartError, UsageError, RostrumError]
  const isExpected = error instanceof Error && expected.some(kind => error instanceof kind)
  process.stderr.write(isExpected ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`)
  return error instanceof UsageError ? usageExitCode : 1
}

/**
 * Reports a result that standard output does not take, such as on a full disk, and what to do about it. The command
 * then ends with 1. A reader that went away, such as `head`, has read enough.
 */
export function reportLostOutput(advice = ''): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    process.stderr.write(`Cannot write the output: ${message}.${advice}\n`)
    process.exit(1)
  })
}

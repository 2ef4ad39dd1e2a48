import { RostrumError, StartError } from '../errors.ts'
import { UsageError, usageExitCode } from './parse-flags.ts'

/** Writes to standard error why a command failed, and returns the exit code of the process. */
export function reportFailure(error: unknown): number {
  const expected = [StartError, UsageError, RostrumError]
  const isExpected = error instanceof Error && expected.some(kind => error instanceof kind)
  process.stderr.write(isExpected ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`)
  return error instanceof UsageError ? usageExitCode : 1
}

/** What the command line exits with (contract, section 11). */
export const exitCodes = {
  done: 0,
  /** The script called `fail`, or a case failed. */
  failed: 1,
  /** The script ended in an error, or does not compile. */
  error: 2,
  /** A live version or a local file changed since the last `pull`. */
  conflict: 3,
  usage: 64,
  unavailable: 69,
  fault: 70,
  refused: 77,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command. The message is one line that says what was wrong and what to do; without one nothing is printed. */
export class CliError extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The error of a wrong command, option or argument. */
export function wrongUse(message: string): CliError {
  return new CliError(exitCodes.usage, message)
}

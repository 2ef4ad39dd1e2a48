import { CliError, exitCodes } from '../frame/cli-error.ts'

/** Returns a token that can be sent. Throws an error that does not show it; `subject` names it. */
export function checkToken(token: string, subject: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new CliError(
    exitCodes.refused,
    `${subject} is no token: a token has no spaces and no other signs than ASCII.`,
  )
}

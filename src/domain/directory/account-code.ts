import { RostrumError } from '../../errors.ts'

/** The code that names an account (contract, section 1): letters, digits, `.`, `_` and `-`, at most 64. */
export function isAccountCode(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
}

/** Gives the account code back; `BAD_USER_INPUT` if it is none. */
export function checkAccountCode(text: string): string {
  if (isAccountCode(text)) return text
  throw new RostrumError(
    'BAD_USER_INPUT',
    `\`${text.slice(0, 64)}\` is not an account code: it must start with a letter or digit, ` +
      'followed by up to 63 of letters, digits, `.`, `_` and `-`.',
  )
}

import { invalidInput, RostrumError } from '../errors.ts'
import { shorten } from '../json/surrogates.ts'

/** What `isName` demands, for descriptions. */
export const nameForm = 'a letter or digit, then up to 63 of these, `.`, `_` and `-`'

/** What `isName` demands, for the message about a field. */
export const nameRule =
  'must start with a letter or digit, and have at most 64 letters, digits, `.`, `_` and `-`'

/** Account codes, case type codes, and names of functions, tasks and webhooks (contract, sections 1 and 7). */
export function isName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
}

/** What is wrong with a text that is no name, for the message about a field. */
export function badName(text: string): string {
  return `${nameRule}; it is \`${shorten(text, 64)}\``
}

/** Returns the account code. Throws `BAD_USER_INPUT` for text that is no account code. */
export function checkAccountCode(text: string): string {
  if (isName(text)) return text
  throw new RostrumError('BAD_USER_INPUT', `\`${shorten(text, 64)}\` is not an account code: it ${nameRule}.`)
}

/** Returns the case type code. Throws `BAD_USER_INPUT` with the pointer for text that is no case type code. */
export function checkCaseTypeCode(code: string, pointer = '/caseTypeCode'): string {
  if (isName(code)) return code
  throw invalidInput([{ pointer, detail: badName(code) }])
}

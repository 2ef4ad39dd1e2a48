import { RostrumError } from '../errors.ts'

// Visible ASCII. Two headers come joined by a comma, as does a list.
const oneKey = /^[!-+\--~]{1,255}$/

/** The key that an `Idempotency-Key` header holds; `BAD_USER_INPUT` for what is not one key. */
export function readIdempotencyKey(header: string | string[]): string {
  if (typeof header === 'string' && oneKey.test(header)) return header
  throw new RostrumError(
    'BAD_USER_INPUT',
    '`Idempotency-Key` must be one key of 1 to 255 visible ASCII characters without a comma, such as a UUID.',
  )
}

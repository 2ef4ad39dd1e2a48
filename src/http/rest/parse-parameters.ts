import { RostrumError } from '../../errors.ts'

interface ParametersRequest {
  readonly text: string
  readonly most: number
  /** For the message: what they are parameters of. */
  readonly what: string
}

/**
 * The parameters of a form or a query string. More than `most` are `BAD_USER_INPUT` before they are taken apart: the time of
 * `URLSearchParams` grows with the square of their number, 11 s for a million.
 */
export function parseParameters({ text, most, what }: ParametersRequest): URLSearchParams {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields++
  if (fields > most) {
    throw new RostrumError('BAD_USER_INPUT', `${what} can have at most ${most} fields; this has ${fields}.`)
  }
  return new URLSearchParams(text)
}

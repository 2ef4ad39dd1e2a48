import { RostrumError } from '../../errors.ts'

interface ParametersRequest {
  readonly text: string
  readonly maxFields: number
  /** What has these parameters, for the message. */
  readonly what: string
}

/**
 * Parses the parameters of a form or a query string. Throws `BAD_USER_INPUT` for more than `maxFields`, before it
 * parses them: the time of `URLSearchParams` grows with the square of their number, 11 s for a million.
 */
export function parseParameters({ text, maxFields, what }: ParametersRequest): URLSearchParams {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields++
  if (fields > maxFields) {
    throw new RostrumError(
      'BAD_USER_INPUT',
      `${what} can have at most ${maxFields} fields; this has ${fields}.`,
    )
  }
  return new URLSearchParams(text)
}

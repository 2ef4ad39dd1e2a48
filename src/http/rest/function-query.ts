import { RostrumError } from '../../errors.ts'
import { shorten } from '../../json/surrogates.ts'
import { parseParameters } from '../request/parse-parameters.ts'

/** The parameters in the query string of a function's path. Null for a parameter that is left out. */
export interface FunctionQuery {
  readonly caseTypeCode: string | null
  readonly comment: string | null
  readonly makeLive: boolean | null
}

const names = ['case_type_code', 'comment', 'make_live'] as const
const maxFields = 100

/**
 * Reads the parameters of a function's path (contract, section 9). Throws `BAD_USER_INPUT` for a parameter that occurs
 * twice or has a bad value, and for an unknown one if the request prefers strict handling.
 */
export function readFunctionQuery(queryString: string, isStrict = false): FunctionQuery {
  const given = parseParameters({ text: queryString, maxFields, what: 'The query string', fatal: true })
  if (isStrict) refuseUnknown(given.map(([name]) => name))
  const [caseTypeCode = null, comment = null, makeLive = null] = names.map(name => {
    const values = given.filter(([each]) => each === name).map(([, value]) => value)
    if (values.length > 1) throw refuse(`The query string has \`${name}\` more than once.`)
    return values[0] ?? null
  })
  return { caseTypeCode, comment, makeLive: makeLive === null ? null : readBoolean(makeLive) }
}

function refuseUnknown(given: readonly string[]): void {
  const unknown = given.find(name => !names.some(known => known === name))
  if (unknown === undefined) return
  const known = names.map(name => `\`${name}\``).join(', ')
  throw refuse(`The query string has the unknown parameter \`${shorten(unknown, 64)}\`; known are ${known}.`)
}

function readBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw refuse(`\`make_live\` must be \`true\` or \`false\`; it is \`${text.slice(0, 40)}\`.`)
}

function refuse(message: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', message)
}

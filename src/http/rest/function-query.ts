import { RostrumError } from '../../errors.ts'
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
 * twice or has a bad value. Ignores unknown parameters.
 */
export function readFunctionQuery(queryString: string): FunctionQuery {
  const given = parseParameters({ text: queryString, maxFields, what: 'The query string', fatal: true })
  const [caseTypeCode = null, comment = null, makeLive = null] = names.map(name => {
    const values = given.filter(([each]) => each === name).map(([, value]) => value)
    if (values.length > 1) throw refuse(`The query string has \`${name}\` more than once.`)
    return values[0] ?? null
  })
  return { caseTypeCode, comment, makeLive: makeLive === null ? null : readBoolean(makeLive) }
}

function readBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw refuse(`\`make_live\` must be \`true\` or \`false\`; it is \`${text.slice(0, 40)}\`.`)
}

function refuse(message: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', message)
}

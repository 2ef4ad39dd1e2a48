import { RostrumError } from '../../errors.ts'
import type { JsonText } from '../../json/json-text.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { GivenJson, JsonObject } from '../../json/read-json.ts'
import type { LongWork } from '../../limits/long-work.ts'
import { caseDataLimits, readCaseData, refuseManyFields, waitIfLong } from './case-data.ts'

/** Case data with their JSON. */
export interface WrittenData {
  readonly data: JsonObject
  readonly text: string
}

/** The error of a run whose result cannot become case data. */
export interface ExitError {
  readonly code: 'RESULT' | 'LIMIT'
  readonly message: string
  readonly line: null
  readonly column: null
  readonly stack: null
}

/** Reads the value given to `exit` as case data (contract, section 7). */
export async function readExit({ text }: JsonText, work: LongWork): Promise<WrittenData | ExitError> {
  const bytes = Buffer.byteLength(text)
  const { bytes: max } = caseDataLimits
  if (bytes > max) {
    return exitError(
      'LIMIT',
      `The data given to \`exit\` have ${bytes} bytes of JSON; at most ${max} are allowed`,
    )
  }
  try {
    await waitIfLong(bytes, work)
    const given = parseJson(text) as GivenJson
    await waitIfLong(bytes, work)
    const data = readCaseData(given)
    refuseManyFields(data)
    return { data, text }
  } catch (error) {
    if (!(error instanceof RostrumError)) throw error
    return exitError('RESULT', `\`exit\` must get the data of the case: ${error.message}`)
  }
}

function exitError(code: ExitError['code'], message: string): ExitError {
  return { code, message, line: null, column: null, stack: null }
}

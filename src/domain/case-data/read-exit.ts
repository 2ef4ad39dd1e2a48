import { hasCode } from '../../errors.ts'
import type { LongWork } from '../../fairness/long-work.ts'
import type { JsonText } from '../../json/json-text.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { GivenJson, JsonObject } from '../../json/read-json.ts'
import { errorWithoutPosition, type RunError } from '../scripts/run.ts'
import { caseDataLimits, isLong, readCaseData, refuseManyFields } from './case-data.ts'

/** Case data together with its JSON. */
export interface WrittenData {
  readonly data: JsonObject
  readonly text: string
}

/**
 * Reads the value passed to `exit` as case data (contract, section 7). Returns an error if the value cannot be case
 * data.
 */
export async function readExit({ text }: JsonText, work: LongWork): Promise<WrittenData | RunError> {
  const bytes = Buffer.byteLength(text)
  const { bytes: max } = caseDataLimits
  if (bytes > max) {
    return errorWithoutPosition(
      'LIMIT',
      `The data given to \`exit\` have ${bytes} bytes of JSON; at most ${max} are allowed`,
    )
  }
  try {
    if (isLong(bytes)) await work.step()
    const given = parseJson(text) as GivenJson
    if (isLong(bytes)) await work.step()
    const data = readCaseData(given)
    refuseManyFields(data)
    return { data, text }
  } catch (error) {
    // Any other error is not the script's: its client has disconnected, for example.
    if (!hasCode(error, 'BAD_USER_INPUT')) throw error
    return errorWithoutPosition('RESULT', `\`exit\` must get the data of the case: ${error.message}`)
  }
}

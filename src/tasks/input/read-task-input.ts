import type { RunLimits } from '../../config.ts'
import { RostrumError } from '../../errors.ts'
import { findPlace } from '../../json/find-place.ts'
import { type JsonScan, scanJson } from '../../json/scan-json.ts'
import type { TaskInput } from '../run/task-execution.ts'

const longestLabel = 200
// A million levels hold a sandbox up for a third of a second to read.
const maxDepth = 100_000

/** A task's input, checked: what remains as text is JSON. */
export interface CheckedTask {
  readonly name: string
  readonly source: string
  readonly payload: string
  readonly options: GivenOptions
  readonly caseTypeCode: string | null
}

/** The options as the caller gave them, of which no value is made but the few that are needed. */
export interface GivenOptions {
  /** A JSON object. */
  readonly text: string
  readonly isEmpty: boolean
  /** JSON texts of the last member of each name. */
  readonly members: ReadonlyMap<OptionName, string>
}

export const optionNames = ['current_user', 'params', 'changed_fields', 'requestContext'] as const

export type OptionName = (typeof optionNames)[number]

/**
 * Checks the input of a task (contract, section 4). `BAD_USER_INPUT` names the field and, for what is not JSON, the
 * position; `PAYLOAD_TOO_LARGE` is for source code past its limit. The documents are looked through and not read: a hundred
 * thousand keys would take a fifth of a second, and the script reads them anyway.
 */
export function readTaskInput(input: TaskInput, limits: RunLimits): CheckedTask {
  const sourceBytes = Buffer.byteLength(input.sourceCode)
  if (sourceBytes > limits.sourceBytes) {
    throw new RostrumError(
      'PAYLOAD_TOO_LARGE',
      `\`sourceCode\` has ${sourceBytes} bytes; at most ${limits.sourceBytes} are allowed.`,
    )
  }
  checkLabel('name', input.name, 1)
  checkLabel('metadata/caseTypeCode', input.metadata.caseTypeCode ?? '', 0)
  checkLabel('metadata/accountNickname', input.metadata.accountNickname ?? '', 0)
  scanText('inputDocument', input.inputDocument)
  return {
    name: input.name,
    source: input.sourceCode,
    payload: input.inputDocument,
    options: readOptions(input.options),
    caseTypeCode: input.metadata.caseTypeCode,
  }
}

function readOptions(text: string): GivenOptions {
  const { isObject, values, members } = scanText('options', text, optionNames)
  if (!isObject) throw refuse('options', 'must be a JSON object')
  const texts = [...members].map(([name, { bytes }]) => [name as OptionName, bytes.toString('utf8')] as const)
  return { text, isEmpty: values === 1, members: new Map(texts) }
}

function checkLabel(field: string, text: string, least: number): void {
  if (text.trim().length < least) throw refuse(field, 'must not be empty')
  if (text.length > longestLabel) throw refuse(field, `must have at most ${longestLabel} characters`)
}

function scanText(field: string, text: string, names: readonly string[] = []): JsonScan {
  const bytes = Buffer.from(text)
  const scan = scanJson(bytes, { maxDepth }, names)
  if (scan.fault === null) return scan
  if (scan.fault === 'depth') throw refuse(field, 'is nested too deeply')
  const { position, line, column } = findPlace(bytes, scan.position)
  throw refuse(field, `is not valid JSON at position ${position} (line ${line}, column ${column})`)
}

function refuse(field: string, detail: string): RostrumError {
  const fields = [{ pointer: `/${field}`, detail }]
  return new RostrumError('BAD_USER_INPUT', `\`${field}\` ${detail}.`, { fields })
}

import type { TaskLimits } from '../config.ts'
import { RostrumError } from '../errors.ts'
import { findJsonError } from '../find-json-error.ts'
import { isNestedDeeper } from '../is-nested-deeper.ts'
import type { TaskInput } from './task-execution.ts'

const longestLabel = 200
// A million levels hold everyone up for a third of a second to read, and as long again to write.
const mostLevels = 100_000

/** A task's input, checked: what remains as text is JSON. */
export interface CheckedTask {
  readonly name: string
  readonly source: string
  readonly payload: string
  readonly options: Record<string, unknown>
  readonly caseTypeCode: string | null
}

/**
 * Checks the input of a task (contract, section 4). `BAD_USER_INPUT` names the field and, for what is not JSON, the
 * position; `PAYLOAD_TOO_LARGE` is for source code past its limit.
 */
export function readTaskInput(input: TaskInput, limits: TaskLimits): CheckedTask {
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
  parseJson('inputDocument', input.inputDocument)
  const options = parseJson('options', input.options)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refuse('options', 'must be a JSON object')
  }
  return {
    name: input.name,
    source: input.sourceCode,
    payload: input.inputDocument,
    options: options as Record<string, unknown>,
    caseTypeCode: input.metadata.caseTypeCode,
  }
}

function checkLabel(field: string, text: string, least: number): void {
  if (text.trim().length < least) throw refuse(field, 'must not be empty')
  if (text.length > longestLabel) throw refuse(field, `must have at most ${longestLabel} characters`)
}

function parseJson(field: string, text: string): unknown {
  if (isNestedDeeper(text, mostLevels)) throw refuse(field, 'is nested too deeply')
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { position, line, column } = findJsonError(text, error)
    throw refuse(field, `is not valid JSON at position ${position} (line ${line}, column ${column})`, error)
  }
}

function refuse(field: string, detail: string, cause?: unknown): RostrumError {
  const fields = [{ pointer: `/${field}`, detail }]
  return new RostrumError('BAD_USER_INPUT', `\`${field}\` ${detail}.`, { fields, cause })
}

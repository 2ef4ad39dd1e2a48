import type { RunLimits } from '../../config.ts'
import type { Script } from '../../domain/scripts/script.ts'
import { fieldTooLarge, invalidInput, type RostrumError } from '../../errors.ts'
import { countCharacters } from '../../json/count-characters.ts'
import { describeBadJson } from '../../json/describe-bad-json.ts'
import { type JsonScan, maxInputDepth, scanJson } from '../../json/scan-json.ts'

const maxLabelLength = 200

/** A checked script. Its texts are valid JSON. */
export interface CheckedScript extends Omit<Script, 'options'> {
  readonly options: GivenOptions
}

/** The options as the caller sent them. They are not parsed; only the few members that are needed are extracted. */
export interface GivenOptions {
  /** The options as a JSON object. */
  readonly text: string
  readonly isEmpty: boolean
  /** The JSON text of each needed member. If a name occurs twice, the last one counts. */
  readonly members: ReadonlyMap<OptionName, string>
}

const optionNames = ['current_user', 'params', 'changed_fields', 'requestContext'] as const

export type OptionName = (typeof optionNames)[number]

/**
 * Checks a script with its input (contract, section 4). Throws `BAD_USER_INPUT`, naming the field and the position of
 * invalid JSON, and `PAYLOAD_TOO_LARGE` for source code that is too long. It scans the documents without parsing them:
 * parsing 100,000 keys would take 50 ms here, and the isolate parses them anyway. A document that equals `knownJson`
 * was checked before, and needs no scan.
 */
export function readScript(script: Script, limits: RunLimits, knownJson?: string | null): CheckedScript {
  refuseLongSource(script.sourceCode, limits)
  checkLabel('name', script.name, 1)
  checkLabel('metadata/caseTypeCode', script.caseTypeCode ?? '', 0)
  checkLabel('metadata/accountNickname', script.accountNickname ?? '', 0)
  if (!script.isWritten && script.payload !== knownJson) scanText('inputDocument', script.payload)
  return { ...script, options: readOptions(script.options) }
}

/** Throws `PAYLOAD_TOO_LARGE` for source code that is too long. */
export function refuseLongSource(sourceCode: string, limits: RunLimits): void {
  const sourceBytes = Buffer.byteLength(sourceCode)
  if (sourceBytes <= limits.sourceBytes) return
  throw fieldTooLarge('/sourceCode', `has ${sourceBytes} bytes; at most ${limits.sourceBytes} are allowed`)
}

function readOptions(text: string): GivenOptions {
  const { isObject, values, members } = scanText('options', text, optionNames)
  if (!isObject) throw refuse('options', 'must be a JSON object')
  const texts = [...members].map(([name, { bytes }]) => [name as OptionName, bytes.toString('utf8')] as const)
  return { text, isEmpty: values === 1, members: new Map(texts) }
}

function checkLabel(field: string, text: string, minLength: number): void {
  if (text.trim().length < minLength) throw refuse(field, 'must not be empty')
  if (countCharacters(text, maxLabelLength) > maxLabelLength)
    throw refuse(field, `must have at most ${maxLabelLength} characters`)
}

function scanText(field: string, text: string, names: readonly string[] = []): JsonScan {
  const bytes = Buffer.from(text)
  const scan = scanJson(bytes, { maxDepth: maxInputDepth }, names)
  if (scan.fault === null) return scan
  if (scan.fault === 'depth') throw refuse(field, 'is nested too deeply')
  throw refuse(field, describeBadJson(bytes, scan.position))
}

function refuse(field: string, detail: string): RostrumError {
  return invalidInput([{ pointer: `/${field}`, detail }])
}

import { isUtf8 } from 'node:buffer'
import { RostrumError } from '../../errors.ts'
import { describeBadJson } from '../../json/describe-bad-json.ts'
import { parseJson, parseText } from '../../json/parse-json.ts'
import { findProtoKeys } from '../../json/read-json.ts'
import { type JsonScan, maxValues, scanJson } from '../../json/scan-json.ts'
import type { ScanLimits } from '../../json/scanner.ts'

/** Reserves the memory of a body before it is parsed. Throws if there is not enough. */
export type ReserveMemory = (bytes: number) => void

const maxDepth = 2_000
// Maximum number of values in case data. JSON of 1 MiB has fewer.
const maxDataValues = 600_000
// Scanning shorter bodies first would cost more than it saves.
const maxUnscannedBytes = 2_048

// Every spelling of the key, with escapes, contains one of these.
const suspect = /__proto__|\\u00(?:5f|6f|70|72|74)/i

const reserveNothing: ReserveMemory = () => undefined

/**
 * Parses a JSON body. Throws `BAD_USER_INPUT` if it is not UTF-8 or not JSON, is nested more than 2,000 deep, has
 * more than 10,000 values, or has a key `__proto__` anywhere. Values are counted before they are created.
 */
export function parseJsonBody(body: Buffer, reserveMemory = reserveNothing): unknown {
  const text = decodeBody(body)
  if (body.length <= maxUnscannedBytes && !suspect.test(text)) {
    reserveMemory(memoryOf(body.length, body.length / 2))
    return parseShort(body, text)
  }
  const { values } = scanBody(body, { maxValues })
  reserveMemory(memoryOf(body.length, values))
  return parseJson(text)
}

/**
 * Returns the same for bodies with case data in the member `name`, which may have up to 600,000 values. Outside of it
 * the body may have 10,000.
 */
export function createDataParser(name: string) {
  return (body: Buffer, reserveMemory = reserveNothing): unknown => {
    if (body.length <= maxUnscannedBytes) return parseJsonBody(body, reserveMemory)
    const text = decodeBody(body)
    const { values, members } = scanBody(body, { maxValues: maxDataValues }, [name])
    if (values - (members.get(name)?.values ?? 0) > maxValues) throw tooManyValues()
    reserveMemory(memoryOf(body.length, values))
    return parseJson(text)
  }
}

function parseShort(body: Buffer, text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) scanBody(body, {})
    throw error
  }
}

/** Scans a body without creating its values. Throws like `parseJsonBody`. */
export function scanBody(
  body: Buffer,
  limits: Pick<ScanLimits, 'maxValues' | 'maxMembers'>,
  names: readonly string[] = [],
): JsonScan {
  if (body.length === 0) throw emptyBody()
  const bytes = withoutMark(body)
  const scan = scanJson(bytes, { maxDepth, ...limits }, names)
  if (scan.fault === 'depth') throw refuse(`The body is nested more than ${maxDepth} levels deep.`)
  if (scan.fault === 'values') throw tooManyValues()
  if (scan.fault === 'syntax') throw refuse(`The body ${describeBadJson(bytes, scan.position)}.`)
  if (scan.hasProto) throw protoRefusal(bytes)
  return scan
}

export function emptyBody(): RostrumError {
  return refuse('The body is empty; send a JSON document.')
}

function protoRefusal(bytes: Buffer): RostrumError {
  const fields = findProtoKeys(parseText(bytes.toString())).map(pointer => ({
    pointer,
    detail: 'is a key that is not allowed',
  }))
  return new RostrumError('BAD_USER_INPUT', 'The body must have no key `__proto__`.', { fields })
}

export function tooManyValues(): RostrumError {
  return refuse(
    `The body has more than ${maxValues} values, all items and fields counted; send less at once.`,
  )
}

/** The most memory that parsed JSON takes: two bytes for each character, and an object for each value. */
export function memoryOf(bytes: number, values: number): number {
  return 2 * bytes + 64 * values
}

const decoder = new TextDecoder('utf-8', { fatal: true })
const decoderOfWhole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a body. Throws `BAD_USER_INPUT` if it is not UTF-8. A byte order mark is removed unless `keepsMark`.
 */
export function decodeBody(body: Buffer, { keepsMark = false } = {}): string {
  try {
    return (keepsMark ? decoderOfWhole : decoder).decode(body)
  } catch {
    throw notUtf8()
  }
}

/** Checks a body like `decodeBody`, but creates no text. */
export function requireUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw notUtf8()
}

const notUtf8 = () => refuse('The body is not UTF-8 text.')

// The decoder removes a byte order mark as well.
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

function refuse(message: string): RostrumError {
  return new RostrumError('BAD_USER_INPUT', message)
}

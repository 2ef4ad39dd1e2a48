import { JsonScanner, type ScanFault, type ScanLimits } from './scanner.ts'
import { spells } from './spells.ts'

/** Maximum levels of a script's input. A million levels would take a sandbox too long to parse. */
export const maxInputDepth = 100_000

/**
 * Maximum number of items and fields, counted together, of a request's body or the variables of a script's call. The
 * smallest values take twenty times their bytes when parsed. The variables of an operation may have 8,000 of them.
 */
export const maxValues = 10_000

export interface JsonMember {
  /** The bytes of the value without surrounding white space. */
  readonly bytes: Buffer
  /** Number of values: the value itself and all items and fields inside it. */
  readonly values: number
}

export interface JsonScan {
  readonly fault: ScanFault | null
  /** Number of bytes before the end of the scan. */
  readonly position: number
  readonly values: number
  /** True if a key at any depth is `__proto__`. */
  readonly hasProto: boolean
  readonly isObject: boolean
  /** The last member of each requested name, if the text is an object. */
  readonly members: ReadonlyMap<string, JsonMember>
  /** The first names of members that were not requested. Filled only if `names` has at least one name. */
  readonly otherNames: readonly string[]
}

// Maximum number of unknown fields that an error names.
const maxOtherNames = 20
const proto = '__proto__'
const maxEscapedProto = 6 * proto.length
const openBrace = 0x7b
const backslash = 0x5c
const spaces = new Set([0x20, 0x0a, 0x0d, 0x09])

/** Scans a whole JSON text without creating its values. It takes a few nanoseconds a byte, and no memory. */
export function scanJson(bytes: Buffer, limits: ScanLimits, names: readonly string[] = []): JsonScan {
  let hasProto = false
  const members = new Map<string, JsonMember>()
  const otherNames: string[] = []
  const mayBegin = new Set<number | undefined>([backslash, ...names.map(name => name.charCodeAt(0))])
  const scanner = new JsonScanner(limits, {
    onKey(start, end) {
      const length = end - start
      if (length < proto.length || length > maxEscapedProto) return
      if (!hasProto) hasProto = spells(bytes, { start, end }, proto)
    },
    onMember({ keyStart: start, keyEnd: end, valueStart, valueEnd, values }) {
      // Compare the first character first, because it rules out most keys.
      const name = mayBegin.has(bytes[start])
        ? names.find(candidate => spells(bytes, { start, end }, candidate))
        : undefined
      if (name === undefined) noteOther(start, end)
      else members.set(name, { bytes: trim(bytes.subarray(valueStart, valueEnd)), values })
    },
  })
  function noteOther(start: number, end: number): void {
    if (names.length === 0 || otherNames.length >= maxOtherNames) return
    otherNames.push(JSON.parse(`"${bytes.toString('utf8', start, end)}"`))
  }

  if (scanner.write(bytes)) scanner.end()
  const { fault, position, values } = scanner
  return { fault, position, values, hasProto, isObject: startsWithBrace(bytes), members, otherNames }
}

// Removes the colon at the beginning, and white space at both ends.
function trim(bytes: Buffer): Buffer {
  let start = bytes.indexOf(0x3a) + 1
  let end = bytes.length
  while (spaces.has(bytes[start] ?? 0)) start++
  while (spaces.has(bytes[end - 1] ?? 0)) end--
  return bytes.subarray(start, end)
}

function startsWithBrace(bytes: Buffer): boolean {
  let start = 0
  while (spaces.has(bytes[start] ?? 0)) start++
  return bytes[start] === openBrace
}

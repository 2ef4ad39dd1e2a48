import { JsonScanner, type MemberOffsets } from '../../json/scanner.ts'
import { spells } from '../../json/spells.ts'
import type { Case } from './case-file.ts'

/**
 * Returns the text of a case file with another `expect`, which becomes the last member if there is none. All other
 * members stay in their order, with their numbers and texts as they are written. The file is indented by two spaces
 * and ends with a newline (contract, section 11). It must hold a valid case.
 */
export function replaceExpect(file: string, expect: Case['expect']): string {
  const bytes = Buffer.from(file)
  const { start, end, isNew } = findPlace(bytes)
  const value = JSON.stringify(expect)
  const text = isNew ? `,"expect":${value}` : value
  return `${indent(`${bytes.subarray(0, start)}${text}${bytes.subarray(end)}`)}\n`
}

interface Place {
  readonly start: number
  readonly end: number
  /** True if the place is empty, after the last member. */
  readonly isNew: boolean
}

// If several members have the name, the last one counts, as for `JSON.parse`.
function findPlace(bytes: Buffer): Place {
  let place: Place = { start: 0, end: 0, isNew: true }
  const onMember = ({ keyStart, keyEnd, valueStart, valueEnd }: MemberOffsets) => {
    const after = bytes.toString('latin1', valueStart, valueEnd)
    const start = valueStart + after.length - after.replace(/^\s*:\s*/, '').length
    const end = valueStart + after.trimEnd().length
    if (spells(bytes, { start: keyStart, end: keyEnd }, 'expect')) place = { start, end, isNew: false }
    else if (place.isNew) place = { start: end, end, isNew: true }
  }
  new JsonScanner({ maxDepth: Number.POSITIVE_INFINITY }, { onMember }).write(bytes)
  return place
}

// A text, an empty object or list, a sign, or white space. Numbers and words are left as they are.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g

// Lays out a JSON text as `JSON.stringify` does with two spaces, without changing its values.
function indent(json: string): string {
  let line = '\n'
  return json.replace(tokens, token => {
    switch (token) {
      case '{':
      case '[':
        line += '  '
        return token + line
      case '}':
      case ']':
        line = line.slice(0, -2)
        return line + token
      case ',':
        return token + line
      case ':':
        return ': '
      default:
        return token.startsWith('"') ? token : token.replace(/\s+/g, '')
    }
  })
}

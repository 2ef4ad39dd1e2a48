import { JsonScanner, type MemberOffsets } from '../../json/scanner.ts'
import { spells } from '../../json/spells.ts'
import type { Case } from './case-file.ts'

const byteOrderMark = Buffer.from('\ufeff')

/**
 * Returns the bytes of a case file with another `expect`, which is appended as the last member if there is none. Keeps
 * all other bytes. The file must hold a valid case.
 */
export function replaceExpect(file: Buffer, expect: Case['expect']): Buffer {
  const hasMark = file.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  const bytes = hasMark ? file.subarray(byteOrderMark.length) : file
  const { start, end, isNew } = findPlace(bytes)
  const layout = findLayout(bytes)
  const value = format(expect, layout)
  const text = isNew ? `,${layout.gap}"expect":${layout.isTight ? '' : ' '}${value}` : value
  const mark = hasMark ? [byteOrderMark] : []
  return Buffer.concat([...mark, bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)])
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

interface Layout {
  /** The white space before a member, with the line break and the indentation if it begins a line. */
  readonly gap: string
  /** True if the file has no white space before its first member. */
  readonly isTight: boolean
}

function findLayout(bytes: Buffer): Layout {
  const [, gap = ''] = /^\s*\{(\s*)/.exec(bytes.toString('latin1')) ?? []
  const line = /\r?\n[ \t]*$/.exec(gap)
  return { gap: line?.[0] ?? (gap === '' ? '' : ' '), isTight: gap === '' }
}

// In a file of one line, the value is on that line too.
function format(expect: Case['expect'], { gap, isTight }: Layout): string {
  if (isTight) return JSON.stringify(expect)
  const lines = JSON.stringify(expect, null, 1).split('\n')
  const indentation = gap.replace(/^\r?\n/, '')
  if (indentation === gap) return lines.map(line => line.trimStart()).join(' ')
  const indent = (line: string) => {
    const text = line.trimStart()
    return indentation.repeat(line.length - text.length) + text
  }
  return lines.map(indent).join(gap)
}

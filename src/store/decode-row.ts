import { getTableName } from 'drizzle-orm'
import { parseText } from '../json/parse-json.ts'
import { readStored } from '../json/read-stored.ts'
import type { Selection } from './tables/tables-of.ts'

type DecodeRow = (row: Record<string, unknown>) => void

/** Decodes the values of a row whose columns have a codec, in place. Null if no column has one. */
export function createDecode(selection: Selection): DecodeRow | null {
  const decodes = Object.entries(selection).flatMap(([name, column]): DecodeRow | [] => {
    const { codec } = column
    if (codec === undefined) return []
    const { decode, knownBy } = codec
    if (knownBy !== undefined) return decodeUnlessUnreadable(selection, name, knownBy)
    return row => {
      if (row[name] !== null) row[name] = decode(row[name] as never)
    }
  })
  if (decodes.length === 0) return null
  return row => {
    for (const decode of decodes) decode(row)
  }
}

// A member that throws costs more than one with a value, so only an unreadable value becomes one.
function decodeUnlessUnreadable(selection: Selection, name: string, knownBy: string): DecodeRow {
  const column = selection[name]
  if (column === undefined || !(knownBy in selection)) {
    throw new Error(`A statement selects \`${name}\` without \`${knownBy}\`, by which callers know its row.`)
  }
  return row => {
    const text = row[name]
    if (typeof text !== 'string') return
    try {
      row[name] = parseText(text)
    } catch {
      const place = { table: getTableName(column.table), column: column.name, id: String(row[knownBy]) }
      Object.defineProperty(row, name, { enumerable: true, get: () => readStored(text, place) })
    }
  }
}

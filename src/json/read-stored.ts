import { RostrumError } from '../errors.ts'
import { parseText } from './parse-json.ts'

/** The location of a JSON value in the store, for error messages. */
export interface StoredPlace {
  readonly table: string
  readonly column: string
  /** The id under which callers know the row. */
  readonly id: number | string
}

/**
 * Parses JSON that the gateway has stored. If another program has damaged it, throws an error that names the row, so
 * that only this row fails (contract, section 9).
 */
export function readStored<Value>(text: string, place: StoredPlace): Value {
  try {
    return parseText(text) as Value
  } catch {
    // V8's error quotes the text, which must not reach the log.
    throw unreadable(place)
  }
}

/** Throws unless the text begins and ends like a JSON object. Parsing every row in full would slow down every read. */
export function checkStoredObject(text: string, place: StoredPlace): void {
  if (!text.startsWith('{') || !text.endsWith('}') || text.length < 2) throw unreadable(place)
}

export function unreadable({ table, column, id }: StoredPlace): RostrumError {
  const what = `\`${column}\` of row \`${id}\` in the table \`${table}\``
  return new RostrumError('INTERNAL', `${what} cannot be read. Repair it, or delete the row.`)
}

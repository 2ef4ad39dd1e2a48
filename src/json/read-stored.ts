import { RostrumError } from '../errors.ts'

/** A value that the store keeps as JSON. */
export interface StoredPlace {
  readonly table: string
  readonly column: string
  /** The id by which callers know the row. */
  readonly id: number | string
}

/**
 * Parses JSON that the gateway has stored. Throws an error that names the row if something else has changed it, so that
 * the row fails alone (contract, section 9).
 */
export function readStored<Value>(text: string, place: StoredPlace): Value {
  try {
    return JSON.parse(text) as Value
  } catch (cause) {
    throw unreadable(place, cause)
  }
}

/** Throws unless the text begins and ends as an object does. A whole look at each row would slow every read down. */
export function checkStoredObject(text: string, place: StoredPlace): void {
  if (!text.startsWith('{') || !text.endsWith('}') || text.length < 2) throw unreadable(place)
}

export function unreadable({ table, column, id }: StoredPlace, cause?: unknown): RostrumError {
  const what = `\`${column}\` of row \`${id}\` in the table \`${table}\``
  return new RostrumError('INTERNAL', `${what} cannot be read. Repair it, or delete the row.`, { cause })
}

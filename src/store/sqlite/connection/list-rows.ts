type Row = Readonly<Record<string, unknown>>

// Maximum number of rows that a statement gets as values. To read a long text from JSON takes ten times as long.
const maxListedAsValues = 8

/** The rows of a list, of which a statement gets few as values and others as JSON. */
export class ListRows {
  readonly length: number
  readonly #keys: readonly string[]
  readonly #rows: readonly Row[]
  #values: unknown[] | null = null
  #json: string | null = null

  constructor(keys: readonly string[], rows: readonly Row[]) {
    this.length = rows.length
    this.#keys = keys
    this.#rows = rows
  }

  /** The number of rows that a statement gets as values; 0 if it gets JSON. */
  get valueRows(): number {
    return this.length > maxListedAsValues ? 0 : this.length
  }

  /** What the driver binds: an array with a parameter for each value, or a text for one. */
  get bound(): unknown[] | string {
    if (this.valueRows === 0) return this.json
    this.#values ??= this.#rows.flatMap(row => this.#toValues(row))
    return this.#values
  }

  /** The rows as one text. Several statements may get the same list. */
  get json(): string {
    this.#json ??= JSON.stringify(this.#rows)
    return this.#json
  }

  #toValues(row: Row): unknown[] {
    return this.#keys.map(key => toExactValue(row[key] ?? null))
  }
}

/** The driver binds every number as REAL. From JSON, a whole number is an INTEGER. */
export function toExactValue(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

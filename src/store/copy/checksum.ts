import { createHash, hash } from 'node:crypto'
import type { RowTexts } from './copied-tables.ts'

/** The number of rows of a table, and the SHA-256 of the digests of its rows in the order of the key. */
export interface Checksum {
  readonly rows: number
  readonly sha256: string
}

export function buildChecksum() {
  const sha256 = createHash('sha256')
  let rows = 0
  return {
    add(rowDigest: string) {
      rows += 1
      sha256.update(rowDigest)
    },
    finish: (): Checksum => ({ rows, sha256: sha256.digest('hex') }),
  }
}

/** Returns the SHA-256 of a row's texts, each after its length in bytes. Null has no length. */
export function digestRow(row: RowTexts): string {
  return hash(
    'sha256',
    row.map(text => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)).join(''),
  )
}

/** Returns the same digest as an SQL expression for PostgreSQL. `texts` are SQL expressions too. */
export function digestInPostgres(texts: readonly string[]): string {
  const parts = texts.map(text => `coalesce(octet_length(${text}) || ':' || ${text}, '-')`)
  return `encode(sha256(convert_to(${parts.join(' || ')}, 'UTF8')), 'hex')`
}

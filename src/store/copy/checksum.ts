import { createHash, hash } from 'node:crypto'
import type { RowTexts } from './copied-tables.ts'

/** The number of rows of a table, and the SHA-256 of their digests in the order of the key. */
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

/** SHA-256 of a row's texts, each after its length in bytes; null has none. */
export function digestRow(row: RowTexts): string {
  return hash(
    'sha256',
    row.map(text => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)).join(''),
  )
}

/** The same in PostgreSQL, for SQL expressions of the texts. */
export function digestInPostgres(texts: readonly string[]): string {
  const parts = texts.map(text => `coalesce(octet_length(${text}) || ':' || ${text}, '-')`)
  return `encode(sha256(convert_to(${parts.join(' || ')}, 'UTF8')), 'hex')`
}

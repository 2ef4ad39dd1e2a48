import { connect } from '../sqlite/connection/connect.ts'
import { cannotBe } from '../sqlite/connection/describe-failure.ts'
import { refuseMissingFile } from '../sqlite/connection/file-checks.ts'
import type { CopiedTable, RowTexts } from './copied-tables.ts'

export interface Source {
  /** Returns the rows in the order of the key. Read all of them before you ask for another table. */
  rows(table: CopiedTable): IterableIterator<RowTexts>
  /** Returns the last token id that was assigned; 0 if there is none. */
  lastTokenId(): number
  close(): void
}

// Selects the numbers of accounts. Numbers of the whole store have no account; PostgreSQL has sequences for these.
const ofAnAccount = "account_code <> ''"

/**
 * Opens the SQLite store to copy, locked until it is closed. Throws a `StartError` if it cannot be opened or locked, or
 * lacks migrations.
 */
export async function openSource(path: string): Promise<Source> {
  refuseMissingFile(path, '`--from`')
  const { client, close } = await connect({ path, onStatement: undefined, serve: true, migrates: 'none' })
  try {
    // Takes the write lock. Without it, a token that is revoked during the copy would stay valid in the copy.
    client.exec('begin immediate')
  } catch (error) {
    close()
    throw cannotBe('locked', path, error)
  }
  return {
    rows({ name, columns, key }) {
      const texts = columns.map(column => column.writeInSqlite)
      const order = key.map(column => `"${column.name}"`)
      const select = `select ${texts} from "${name}" where ${ofAnAccount} order by ${order}`
      return client.prepare<[], RowTexts>(select).raw().iterate()
    },
    lastTokenId() {
      const largest = '(select coalesce(max(id), 0) from api_tokens)'
      const given =
        "(select coalesce(max(value), 0) from counters where account_code = '' and name = 'API token')"
      return Number(client.prepare<[], number>(`select max(${given}, ${largest})`).pluck().get())
    },
    close,
  }
}

import type { Client } from 'pg'
import { StartError } from '../../errors.ts'
import { connect, describeFailure } from '../postgres/connection/connect.ts'
import type { Checksum } from './checksum.ts'
import { copiedTables } from './copied-tables.ts'
import { copyTable } from './copy-table.ts'
import { openSource, type Source } from './open-source.ts'

interface CopyStore {
  /** Path of a SQLite store. */
  readonly from: string
  /** URL of an empty PostgreSQL database. */
  readonly to: string
}

export interface TableCopy extends Checksum {
  readonly name: string
}

/**
 * Copies a SQLite store into an empty PostgreSQL database, ids and times included, in one transaction. Returns the
 * checksum of each table. If it fails, throws a `StartError` of one line without the password, and nothing is copied.
 */
export async function copyStore({ from, to }: CopyStore): Promise<TableCopy[]> {
  const source = await openSource(from)
  try {
    const target = await connect(to, { migrates: 'unused' })
    try {
      return await copyInOne(source, target)
    } finally {
      await target.end()
    }
  } finally {
    source.close()
  }
}

// Copies everything or nothing. If the connection is lost during COMMIT, it is unknown which of the two happened.
async function copyInOne(source: Source, target: Client): Promise<TableCopy[]> {
  let isToCommit = false
  try {
    await target.query('begin')
    const copies = await copyAll(source, target)
    isToCommit = true
    await target.query('commit')
    return copies
  } catch (error) {
    if (isToCommit) throw unconfirmed(error)
    if (error instanceof StartError) throw error
    throw new StartError(`The copy was broken off: ${describeFailure(error)}.`, { cause: error })
  }
}

// Not a `StartError`, because that means that nothing was copied.
function unconfirmed(cause: unknown): Error {
  const reason = describeFailure(cause)
  const advice = 'Run the command again: if it says that the database is not empty, all was copied.'
  return new Error(`The database did not confirm the copy: ${reason}. ${advice}`, { cause })
}

async function copyAll(source: Source, target: Client): Promise<TableCopy[]> {
  await refuseWhatHasRows(target)
  const copies: TableCopy[] = []
  for (const table of copiedTables) {
    copies.push({ name: table.name, ...(await copyTable({ table, source, target })) })
  }
  await continueTokenIds(source, target)
  // PostgreSQL makes its statistics by itself only after a while, or never. Until then its plans are for empty tables.
  await target.query(`analyze ${namesOfTables()}`)
  return copies
}

function namesOfTables(): string {
  return copiedTables.map(({ name }) => `"${name}"`).join()
}

// Refuses a database with rows. Locks the tables until the end, so that a gateway that starts now cannot write.
async function refuseWhatHasRows(target: Client): Promise<void> {
  await target.query(`lock table ${namesOfTables()} in exclusive mode`)
  for (const { name } of copiedTables) {
    const found = await target.query(`select 1 from "${name}" limit 1`)
    if (found.rows.length === 0) continue
    throw new StartError(
      `The database that DATABASE_URL names is not empty: its table \`${name}\` has rows. Name an empty one.`,
    )
  }
}

// Continues token ids from the source. The other numbers are rows of `counters` and are copied with them. Unlike
// setval(), `restart` is undone if the transaction is.
async function continueTokenIds(source: Source, target: Client): Promise<void> {
  const last = source.lastTokenId()
  if (last > 0) await target.query(`alter sequence "api_tokens_id_seq" restart with ${last + 1}`)
}

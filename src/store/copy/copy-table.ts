import type { Client } from 'pg'
import { StartError } from '../../errors.ts'
import { describeFailure } from '../postgres/connection/connect.ts'
import { buildChecksum, type Checksum, digestInPostgres, digestRow } from './checksum.ts'
import type { CopiedTable, RowTexts } from './copied-tables.ts'
import type { Source } from './open-source.ts'

const rowsOfBatch = 1_000
const charactersOfBatch = 2 ** 20

interface CopyTable {
  readonly table: CopiedTable
  readonly source: Source
  /** The database to copy into, inside a transaction. */
  readonly target: Client
}

/** Copies the rows in batches and reads them back. Throws a `StartError` if they are not the same. */
export async function copyTable(copy: CopyTable): Promise<Checksum> {
  const { name } = copy.table
  const sent = await sendRows(copy).catch((error: unknown) => {
    throw new StartError(`The table \`${name}\` cannot be copied: ${describeFailure(error)}.`, {
      cause: error,
    })
  })
  const arrived = await readChecksum(copy)
  if (sent.rows === arrived.rows && sent.sha256 === arrived.sha256) return sent
  const [before, after] = [sent, arrived].map(({ rows, sha256 }) => `${rows} rows of ${sha256}`)
  throw new StartError(`The table \`${name}\` changed on its way: ${before} became ${after}.`)
}

async function sendRows({ table, source, target }: CopyTable): Promise<Checksum> {
  const insert = buildInsert(table)
  const checksum = buildChecksum()
  for (const batch of batches(source.rows(table))) {
    await target.query(insert, [JSON.stringify(batch)])
    for (const row of batch) checksum.add(digestRow(row))
  }
  return checksum.finish()
}

function buildInsert({ name, columns }: CopiedTable): string {
  const names = columns.map(column => `"${column.name}"`)
  const values = columns.map((column, index) => column.readInPostgres.replace('?', `row ->> ${index}`))
  const rows = 'json_array_elements($1::text::json) as row'
  return `insert into "${name}" (${names}) select ${values} from ${rows}`
}

function* batches(rows: Iterable<RowTexts>): Generator<RowTexts[]> {
  let batch: RowTexts[] = []
  let characters = 0
  for (const row of rows) {
    batch.push(row)
    for (const text of row) characters += text?.length ?? 0
    if (batch.length < rowsOfBatch && characters < charactersOfBatch) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

// Reads the rows in the order in which SQLite sorts texts: by bytes, like the collation "C".
async function readChecksum({ table, target }: CopyTable): Promise<Checksum> {
  const texts = table.columns.map(column => column.writeInPostgres)
  const order = table.key.map(({ name, isText }) => `"${name}"${isText ? ' collate "C"' : ''}`)
  const select = `select ${digestInPostgres(texts)} as digest from "${table.name}" order by ${order.join()}`
  const checksum = buildChecksum()
  await target.query(`declare copied cursor for ${select}`)
  for (;;) {
    const { rows } = await target.query<{ digest: string }>(`fetch ${rowsOfBatch} from copied`)
    if (rows.length === 0) break
    for (const { digest } of rows) checksum.add(digest)
  }
  await target.query('close copied')
  return checksum.finish()
}

import SqliteDatabase from 'better-sqlite3'
import postgres, { type Sql } from 'postgres'
import { openStore } from '../../../src/store/open-store.ts'
import { startPostgres } from '../../store/databases/postgres.ts'
import type { Seed } from './seed.ts'

/** A PostgreSQL with its default settings: a commit is on disk before it is answered. */
export interface SeededPostgres {
  /** URL of a new database with the data of the seed, its tokens included. */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

// In an order in which no row comes before those it points at.
const tables = {
  accounts: ['account_code'],
  users: ['account_code', 'id', 'email', 'display_name'],
  teams: ['account_code', 'id', 'name'],
  team_memberships: ['account_code', 'id', 'user_id', 'team_id'],
  api_tokens: ['account_code', 'id', 'user_id', 'label', 'scopes', 'sha256'],
  case_types: ['account_code', 'code', 'indexed_fields', 'written_fields', 'revision'],
  cases: ['account_code', 'id', 'case_type_code', 'data', 'data_bytes'],
  counters: ['account_code', 'name', 'value'],
}

export async function seedPostgres(seed: Seed): Promise<SeededPostgres> {
  const server = await startPostgres([])
  const url = await server.createDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await (await openStore({ url })).close()
    await copyRows(seed, sql)
  } catch (error) {
    await sql.end()
    await server.stop()
    throw error
  }
  return {
    // One connection may copy the database that it is at.
    async createDatabase(name) {
      const { database = '' } = sql.options
      await sql`create database ${sql(name)} template ${sql(database)}`
      return url.replace(/[^/]+$/, name)
    },
    async stop() {
      await sql.end()
      await server.stop()
    },
  }
}

async function copyRows(seed: Seed, sql: Sql): Promise<void> {
  const client = new SqliteDatabase(seed.path, { readonly: true })
  for (const [table, columns] of Object.entries(tables)) {
    const values = columns.map(name => (name === 'sha256' ? `'\\x' || hex(sha256) as sha256` : name))
    const rows = client.prepare(`select ${values.join()} from ${table} where account_code <> ''`).all()
    await sql.unsafe(
      `insert into ${table} (${columns})
        select ${columns} from json_populate_recordset(null::${table}, $1::text::json)`,
      [JSON.stringify(rows)],
    )
  }
  client.close()
  await sql`vacuum analyze`
}

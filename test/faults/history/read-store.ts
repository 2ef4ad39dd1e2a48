import SqliteDatabase from 'better-sqlite3'
import type { MembershipEvent, MembershipPair } from '../../../src/domain/memberships/membership-store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { askPostgres } from '../../store/databases/ask-postgres.ts'
import type { Row } from './operation.ts'

export interface StoreContents {
  readonly rows: ReadonlyMap<number, Row>
  readonly events: readonly MembershipEvent[]
}

const account = 'demo'
const query =
  `select id, user_id, team_id, version from team_memberships where account_code = '${account}'` as const

/** All memberships of the gateway's first account and their events, as they stand in the store. */
export async function readStore(url: string): Promise<StoreContents> {
  const store = await openStore({ url })
  const events: MembershipEvent[] = []
  for (;;) {
    const more = await store.events.listAfter(account, events.at(-1)?.sequence ?? 0, 1_000)
    if (more.length === 0) break
    events.push(...more)
  }
  await store.close()
  const rows = url.startsWith('sqlite:')
    ? readSqlite(url.slice('sqlite:'.length))
    : await askPostgres<RawRow>(url, query)
  return { events, rows: new Map(rows.map(row => [Number(row.id), readRow(row)])) }
}

/**
 * What is wrong with the events: a gap in their numbers, one that does not go on from those before it, and rows other
 * than they lead to.
 */
export function findEventFaults({ rows, events }: StoreContents): string[] {
  const faults: string[] = []
  const pairs = new Map<number, MembershipPair>()
  for (const [index, { sequence, membershipId, before, after }] of events.entries()) {
    if (sequence !== index + 1) faults.push(`event ${sequence} is number ${index + 1}`)
    if (!isSame(pairs.get(membershipId), before)) faults.push(`event ${sequence} does not go on`)
    if (after === null) pairs.delete(membershipId)
    else pairs.set(membershipId, after)
  }
  for (const id of new Set([...pairs.keys(), ...rows.keys()])) {
    if (!isSame(pairs.get(id), rows.get(id)?.pair ?? null))
      faults.push(`row ${id} is another than its events`)
  }
  return faults
}

interface RawRow {
  readonly id: number
  readonly user_id: number
  readonly team_id: number
  readonly version: number
}

function readSqlite(path: string): RawRow[] {
  const client = new SqliteDatabase(path, { readonly: true })
  const [check] = client.pragma('integrity_check', { simple: false }) as { integrity_check: string }[]
  if (check?.integrity_check !== 'ok') throw new Error(`The file is damaged: ${check?.integrity_check}`)
  const rows = client.prepare<[], RawRow>(query).all()
  client.close()
  return rows
}

function readRow({ user_id, team_id, version }: RawRow): Row {
  return { pair: { userId: Number(user_id), teamId: Number(team_id) }, version: Number(version) }
}

function isSame(one: MembershipPair | undefined, other: MembershipPair | null): boolean {
  return one?.userId === other?.userId && one?.teamId === other?.teamId
}

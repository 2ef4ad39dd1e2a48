import { hash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { type Dialect, placeholders } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, unread, type Work } from '../../work.ts'
import { raiseCounters } from '../counters.ts'
import { type FreedBytes, rowBytes } from '../stored-bytes.ts'

const bytes = sql`octet_length(source) + ${rowBytes}`

/** A source that is written as JSON, and its key. */
export interface Source {
  readonly hash: string
  readonly source: string
}

/** Prepares the insert of sources, in a transaction that has locked the stored bytes of the account. */
export function prepareKeepSources({ chain, list, tables: { runSources, counters } }: Dialect) {
  const { accountCode } = placeholders('accountCode')
  const given = list('given_sources', { hash: runSources.hash, source: runSources.source })
  const count = sql`sum(bytes)`
  const raised = [
    { name: 'stored byte', count },
    { name: 'run byte', count },
  ] as const
  const insert = chain(
    {
      kept: sql`
        insert into run_sources (account_code, hash, source)
        select ${accountCode}, hash, source from ${given.rows} where true
        on conflict do nothing returning ${bytes} as bytes`,
      counted: sql`${raiseCounters(raised, sql`from kept having count(*) > 0`)} returning value`,
    },
    'counted',
    { value: counters.value },
  )
  /** Keeps the sources that the account has not kept yet, and counts the bytes that they take. */
  return function* keepSources(accountCode: string, sources: readonly Source[]): Work<void> {
    if (sources.length > 0) yield* unread(insert, { accountCode, ...given.encode(sources) })
  }
}

interface NamedSource {
  readonly accountCode: string
  readonly sourceHash: string | null
}

/** Prepares the deletion of sources, in a transaction that has locked the stored bytes of their accounts. */
export function prepareDeleteSources({ prepare, list, tables: { runSources } }: Dialect) {
  const named = list('named', { accountCode: 'text', hash: 'text' })
  const remove = prepare(
    sql`delete from run_sources where (account_code, hash) in (select account_code, hash from ${named.rows})
      and not exists (
        select 1 from run_inputs
        where run_inputs.account_code = run_sources.account_code and run_inputs.source_hash = run_sources.hash
      ) returning account_code, ${bytes}`,
    { accountCode: runSources.accountCode, bytes: numberOf(bytes) },
  )
  /** Deletes those of the sources that no kept input names any more. Returns the bytes that they took. */
  return function* deleteSources(rows: readonly NamedSource[]): Work<readonly FreedBytes[]> {
    const hashes = rows.flatMap(({ accountCode, sourceHash: hash }) =>
      hash === null ? [] : [{ accountCode, hash }],
    )
    return hashes.length === 0 ? [] : yield* all(remove, named.encode(hashes))
  }
}

/** Returns a source that is written as JSON with its key. */
export function toSource(source: string): Source {
  return { hash: hash('sha256', source), source }
}

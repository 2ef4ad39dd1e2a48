import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Chain, Dialect, Statement, Values } from '../dialect.ts'
import type { Selection } from '../tables/tables-of.ts'
import type { Bound } from './connection/bound.ts'
import type { Client } from './connection/client.ts'
import { type Clients, createFindListed } from './find-listed.ts'
import { encodeIds, isListed, list } from './list.ts'
import { createPageByParent } from './page-by-parent.ts'
import { prepareText } from './prepare-text.ts'
import { tables } from './tables.ts'

const types = { text: sql`text`, integer: sql`bigint`, boolean: sql`boolean`, bytes: sql`bytea` }

interface Dependencies {
  readonly clients: Clients
  readonly bound: Bound
}

export function createPostgresDialect({ clients, bound }: Dependencies): Dialect {
  const prepare = createPrepare(clients.client)
  return {
    tables,
    isShared: true,
    prepare,
    chain: (parts, result, selection) => prepare(wordChain(parts, result), selection),
    after: part => sql`(select count(*) from ${sql.raw(part)}) >= 0`,
    list,
    forUpdate: sql`for update`,
    skipLocked: sql`for update skip locked`,
    now: sql`now()`,
    nowPlus: ms => sql`(now() + ${ms}::float8 * interval '1 millisecond')`,
    typed: (placeholder: Placeholder, type): SQL => sql`${placeholder}::${types[type]}`,
    isListed,
    encodeList: encodeIds,
    nextTokenId: prepare(sql`select nextval('api_tokens_id_seq')`, { id: tables.apiTokens.id }),
    pageByParent: paging => createPageByParent({ client: clients.client, bound }, paging),
    findByIds: (table, selection) => ({
      findByIds: createFindListed({ clients, bound, table, selection }),
      forget: () => {},
    }),
  }
}

// The driver decodes numbers, booleans, times and bytes.
function createPrepare(client: Client): Dialect['prepare'] {
  function prepare(query: SQL, selection: Selection = {}): Statement<Readonly<Record<string, unknown>>> {
    const { text, bind } = prepareText(query)
    const names = Object.keys(selection)
    const read = (raw: readonly unknown[]) => {
      const row: Record<string, unknown> = {}
      for (const [index, name] of names.entries()) row[name] = raw[index]
      return row
    }
    return {
      async run(values: Values) {
        return (await client.query(text, bind(values))).map(read)
      },
    }
  }
  return prepare as Dialect['prepare']
}

function wordChain(parts: Chain, result: string): SQL {
  const named = Object.entries(parts).map(([name, part]) => sql`${sql.raw(name)} as (${part})`)
  return sql`with ${sql.join(named, sql`, `)} select * from ${sql.raw(result)}`
}

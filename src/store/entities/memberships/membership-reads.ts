import { select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import type { Dialect } from '../../dialect.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import { type TableDescription, toColumnName } from '../../tables/describe-table.ts'

export function selectMembership({ teamMemberships }: Dialect['tables']) {
  return select(teamMemberships, { omit: ['accountCode', 'createdAt'] })
}

/** The columns that an addition leaves to their defaults. */
export const notAdded = ['leader', 'version', 'createdAt'] as const

/** The other columns, besides the account and the id. */
export function selectAdded({ teamMemberships }: Dialect['tables']) {
  return select(teamMemberships, { omit: ['accountCode', 'id', ...notAdded] })
}

/**
 * The columns that a move keeps as they are, by their names in the database: all that it does not write itself. A
 * change in bulk deletes the rows and inserts them again, so what is missing here would be lost.
 */
export function namesOfKept(columns: TableDescription['columns']): readonly string[] {
  const written = ['accountCode', 'id', 'userId', 'teamId', 'version']
  return Object.keys(columns)
    .filter(key => !written.includes(key))
    .map(toColumnName)
}

// Maximum number of memberships that SQLite caches. They take about 5 MB.
const maxCachedRows = 50_000

/** Reads memberships, which needs no hand-tuned statements, and drops cached rows. */
export function createMembershipReads(database: Database) {
  const table = database.tables.teamMemberships
  const selection = selectMembership(database.tables)
  return {
    ...database.findByIds(table, selection, { maxCachedRows }),
    pageByUsers: createPageByParent(database, { table, parent: 'userId', selection }),
    pageByTeams: createPageByParent(database, { table, parent: 'teamId', selection }),
  }
}

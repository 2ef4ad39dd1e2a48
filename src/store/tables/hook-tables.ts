import type { RunHookEvent } from '../../domain/scripts/run-cause.ts'
import {
  accountCode,
  boolean,
  byId,
  caseTypeReference,
  createdAt,
  functionReference,
  id,
  integer,
  type TableDescription,
  text,
  words,
} from './describe-table.ts'

const references = [functionReference, caseTypeReference]
const trigger = { functionId: integer, scopes: words, enabled: boolean, createdAt }

/** The tables of hooks and case tasks, which are part of all tables of a store. */
export const hookTables = {
  hooks: {
    columns: {
      accountCode,
      id,
      caseTypeCode: text(),
      event: text<RunHookEvent>(),
      position: integer,
      ...trigger,
    },
    key: byId,
    indexes: {
      hooks_by_event: ['accountCode', 'caseTypeCode', 'event', 'position', 'id'],
      hooks_by_function: ['accountCode', 'functionId', 'id'],
    },
    references,
  },

  caseTasks: {
    columns: { accountCode, id, caseTypeCode: text(), name: text(), ...trigger },
    key: byId,
    uniqueIndexes: { case_tasks_by_name: ['accountCode', 'caseTypeCode', 'name'] },
    indexes: { case_tasks_by_function: ['accountCode', 'functionId', 'id'] },
    references,
  },
} as const satisfies Readonly<Record<string, TableDescription>>

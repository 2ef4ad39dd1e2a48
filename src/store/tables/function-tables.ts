import {
  accountCode,
  accountReference,
  byId,
  createdAt,
  id,
  integer,
  json,
  nullable,
  type TableDescription,
  text,
  time,
  withDefault,
} from './describe-table.ts'

/** The tables of functions, which are part of all tables of a store. */
export const functionTables = {
  /** Stored scripts. The case type code is empty for a function of all case types. */
  functions: {
    columns: {
      accountCode,
      id,
      name: text(),
      caseTypeCode: text(),
      liveVersionId: integer,
      // Ids of the versions that were live before, the latest first.
      earlierLiveIds: nullable(json<readonly number[]>()),
      // The last version that was examined for deletion. The next save continues after it.
      prunedToId: withDefault(integer, 0),
      createdAt,
    },
    key: byId,
    uniqueIndexes: { functions_by_name: ['accountCode', 'name', 'caseTypeCode'] },
    references: [accountReference],
  },

  /** Versions never change. The versions of a removed function stay as long as its row. */
  functionVersions: {
    columns: {
      accountCode,
      id,
      functionId: integer,
      hash: text(),
      sourceBytes: integer,
      comment: nullable(text()),
      byUserId: nullable(integer),
      byEmail: nullable(text()),
      createdAt: withDefault(time, 'clock'),
      sourceCode: text(),
    },
    key: byId,
    uniqueIndexes: { function_versions_by_hash: ['accountCode', 'functionId', 'hash'] },
    indexes: { function_versions_by_function: ['accountCode', 'functionId', 'id'] },
    references: [accountReference],
  },

  /** Functions that were removed. They stay until no run refers to them. */
  removedFunctions: {
    columns: { accountCode, id, name: text(), caseTypeCode: text(), liveVersionId: integer, createdAt },
    key: byId,
    references: [accountReference],
  },
} as const satisfies Readonly<Record<string, TableDescription>>

import type { CaseEventKind } from '../../domain/cases/case-store.ts'
import { rowBytes } from '../../domain/idempotency/idempotency.ts'
import type { MembershipEventKind } from '../../domain/memberships/membership-store.ts'
import {
  accountCode,
  accountReference,
  boolean,
  byId,
  bytes,
  caseTypeReference,
  createdAt,
  id,
  integer,
  json,
  nullable,
  type TableDescription,
  text,
  time,
  withDefault,
  words,
} from './describe-table.ts'
import { functionTables } from './function-tables.ts'
import { hookTables } from './hook-tables.ts'
import { queueTables } from './queue-tables.ts'
import { runTables } from './run-tables.ts'
import { webhookTables } from './webhook-tables.ts'

const ofUser = { columns: ['accountCode', 'userId'], table: 'users' }
const ofCase = { columns: ['accountCode', 'caseId'], table: 'cases' }
const ofTeam = { columns: ['accountCode', 'teamId'], table: 'teams' }

/**
 * All tables of a store by their names in camel case, each after those that its rows refer to: `copy` moves them in
 * this order. Every primary and unique key starts with the account, so that no row can be found or blocked across
 * accounts, and a PostgreSQL spread by account needs no other tables.
 */
export const descriptions = {
  accounts: { columns: { accountCode, createdAt }, key: ['accountCode'] },

  users: {
    columns: { accountCode, id, email: nullable(text()), displayName: nullable(text()), createdAt },
    key: byId,
    indexes: { users_by_email: ['accountCode', 'email', 'id'] },
    references: [accountReference],
  },

  teams: {
    columns: { accountCode, id, name: nullable(text()), createdAt },
    key: byId,
    references: [accountReference],
  },

  teamMemberships: {
    columns: {
      accountCode,
      id,
      userId: integer,
      teamId: integer,
      leader: nullable(boolean),
      version: withDefault(integer, 1),
      createdAt,
    },
    key: byId,
    uniqueIndexes: { team_memberships_pair: ['accountCode', 'userId', 'teamId'] },
    indexes: {
      team_memberships_by_team: ['accountCode', 'teamId', 'id'],
      team_memberships_by_user: ['accountCode', 'userId', 'id'],
    },
    references: [ofUser, ofTeam],
  },

  apiTokens: {
    columns: {
      accountCode,
      // Unique in the store, because operators name tokens by it.
      id: withDefault(integer, 'next id'),
      userId: integer,
      label: nullable(text()),
      scopes: words,
      sha256: bytes,
      createdAt,
      revokedAt: nullable(time),
      expiresAt: nullable(time),
      // A day as `2027-01-31`, in UTC.
      lastUsedOn: nullable(text()),
    },
    key: byId,
    indexes: { api_tokens_by_sha256: ['sha256'], api_tokens_by_id: ['id'] },
    references: [ofUser],
  },

  /** The last number given out under each name; the account code is empty for numbers of the whole store. */
  counters: {
    columns: { accountCode, name: text(), value: integer },
    key: ['accountCode', 'name'],
    references: [{ ...accountReference, only: 'postgres' }],
  },

  /** Append-only: what became of each membership. */
  membershipEvents: {
    columns: {
      accountCode,
      sequence: integer,
      kind: text<MembershipEventKind>(),
      membershipId: integer,
      beforeUserId: nullable(integer),
      beforeTeamId: nullable(integer),
      afterUserId: nullable(integer),
      afterTeamId: nullable(integer),
      byUserId: nullable(integer),
      byEmail: nullable(text()),
      transactionId: text(),
      createdAt: withDefault(time, 'clock'),
    },
    key: ['accountCode', 'sequence'],
  },

  ...functionTables,

  /** `revision` counts the changes of hooks and fields. */
  caseTypes: {
    columns: {
      accountCode,
      code: text(),
      indexedFields: json<readonly string[]>('code'),
      writtenFields: json<readonly string[]>('code'),
      revision: integer,
      createdAt,
    },
    key: ['accountCode', 'code'],
    references: [accountReference],
  },

  /** Data are a text on both databases: the same bytes, with the order of keys, NUL and lone surrogates. */
  cases: {
    columns: {
      accountCode,
      id,
      caseTypeCode: text(),
      data: text(),
      dataBytes: integer,
      version: withDefault(integer, 1),
      createdAt,
      updatedAt: withDefault(time, 'now'),
    },
    key: byId,
    indexes: { cases_by_type: ['accountCode', 'caseTypeCode', 'id'] },
    references: [caseTypeReference],
  },

  /** Values of the fields that look-ups may name. */
  caseValues: {
    columns: { accountCode, caseTypeCode: text(), field: text(), value: text(), caseId: integer },
    key: ['accountCode', 'caseTypeCode', 'field', 'value', 'caseId'],
    indexes: { case_values_by_case: ['accountCode', 'caseId'] },
    references: [ofCase],
  },

  /** Leases of cases that a save takes from its second attempt on. */
  caseLeases: {
    columns: { accountCode, caseId: integer, holder: text(), heldUntil: time },
    key: ['accountCode', 'caseId'],
  },

  /**
   * Append-only: what became of each case. The id is the place among the events of the account. Changed fields are in
   * one of two columns, so that a page reads short ones alone.
   */
  caseEvents: {
    columns: {
      accountCode,
      id,
      kind: text<CaseEventKind>(),
      caseId: integer,
      caseTypeCode: text(),
      version: integer,
      changedFields: nullable(text()),
      longFields: nullable(text()),
      changedBytes: integer,
      byUserId: nullable(integer),
      byEmail: nullable(text()),
      functionName: nullable(text()),
      transactionId: text(),
      createdAt: withDefault(time, 'clock'),
    },
    key: byId,
    indexes: { case_events_by_case: ['accountCode', 'caseId', 'id'] },
  },

  ...hookTables,

  ...runTables,

  ...queueTables,

  ...webhookTables,

  /** Requests that came with an idempotency key, and their answers once there are any. */
  idempotencyKeys: {
    columns: {
      accountCode,
      key: text(),
      fingerprint: bytes,
      holder: text(),
      heldUntil: time,
      answer: nullable(bytes),
      heldBytes: withDefault(integer, rowBytes),
      createdAt,
    },
    key: ['accountCode', 'key'],
    indexes: { idempotency_keys_by_age: ['createdAt'] },
  },

  /** The bytes of all keys of an account, with their steps. */
  idempotencyUsage: {
    columns: { accountCode, heldBytes: integer },
    key: ['accountCode'],
  },

  /** The result of each change of a request with an idempotency key, written in the transaction of the change. */
  idempotencySteps: {
    columns: { accountCode, key: text(), number: integer, result: text(), createdAt },
    key: ['accountCode', 'key', 'number'],
  },
} as const satisfies Readonly<Record<string, TableDescription>>

export type Descriptions = typeof descriptions

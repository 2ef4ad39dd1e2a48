import { rowBytes } from '../../domain/idempotency/idempotency.ts'
import type { MembershipEventKind } from '../../domain/store.ts'
import { boolean, bytes, integer, nullable, table, text, time, withDefault } from './describe-table.ts'

// Every primary and unique key starts with the account, so that no row can be found or blocked across accounts, and a
// PostgreSQL spread by account needs no other tables.

const accountCode = text()
const createdAt = withDefault(time(), 'now')
const ofAccount = { columns: ['accountCode'], table: 'accounts' } as const

/** All tables of a store, each after those that its rows refer to: `copy` moves them in this order. */
export const descriptions = {
  accounts: table('accounts', { columns: { accountCode, createdAt }, key: ['accountCode'] }),

  users: table('users', {
    columns: {
      accountCode,
      id: integer(),
      email: nullable(text()),
      displayName: nullable(text()),
      createdAt,
    },
    key: ['accountCode', 'id'],
    indexes: { users_by_email: ['accountCode', 'email', 'id'] },
    references: [ofAccount],
  }),

  teams: table('teams', {
    columns: { accountCode, id: integer(), name: nullable(text()), createdAt },
    key: ['accountCode', 'id'],
    references: [ofAccount],
  }),

  teamMemberships: table('team_memberships', {
    columns: {
      accountCode,
      id: integer(),
      userId: integer(),
      teamId: integer(),
      leader: nullable(boolean()),
      version: withDefault(integer(), 1),
      createdAt,
    },
    key: ['accountCode', 'id'],
    uniqueIndexes: { team_memberships_pair: ['accountCode', 'userId', 'teamId'] },
    indexes: {
      team_memberships_by_team: ['accountCode', 'teamId', 'id'],
      team_memberships_by_user: ['accountCode', 'userId', 'id'],
    },
    references: [
      { columns: ['accountCode', 'userId'], table: 'users' },
      { columns: ['accountCode', 'teamId'], table: 'teams' },
    ],
  }),

  apiTokens: table('api_tokens', {
    columns: {
      accountCode,
      // Unique in the store, because operators name tokens by it.
      id: withDefault(integer(), 'next id'),
      userId: integer(),
      label: nullable(text()),
      scopes: text(),
      sha256: bytes(),
      createdAt,
      revokedAt: nullable(time()),
    },
    key: ['accountCode', 'id'],
    indexes: { api_tokens_by_sha256: ['sha256'], api_tokens_by_id: ['id'] },
    references: [{ columns: ['accountCode', 'userId'], table: 'users' }],
  }),

  /** The last number given out under each name; the account code is empty for numbers of the whole store. */
  counters: table('counters', {
    columns: { accountCode, name: text(), value: integer() },
    key: ['accountCode', 'name'],
    references: [{ ...ofAccount, only: 'postgres' }],
  }),

  /** Append-only: what became of each membership. */
  membershipEvents: table('membership_events', {
    columns: {
      accountCode,
      sequence: integer(),
      kind: text<MembershipEventKind>(),
      membershipId: integer(),
      beforeUserId: nullable(integer()),
      beforeTeamId: nullable(integer()),
      afterUserId: nullable(integer()),
      afterTeamId: nullable(integer()),
      byUserId: nullable(integer()),
      byEmail: nullable(text()),
      transactionId: text(),
      createdAt: withDefault(time(), 'clock'),
    },
    key: ['accountCode', 'sequence'],
  }),

  /** Requests that came with an idempotency key, and their answers once there are any. */
  idempotencyKeys: table('idempotency_keys', {
    columns: {
      accountCode,
      key: text(),
      fingerprint: bytes(),
      holder: text(),
      heldUntil: time(),
      answer: nullable(bytes()),
      heldBytes: withDefault(integer(), rowBytes),
      createdAt,
    },
    key: ['accountCode', 'key'],
    indexes: { idempotency_keys_by_age: ['createdAt'] },
  }),

  /** The bytes that all keys of an account with their steps count for. */
  idempotencyUsage: table('idempotency_usage', {
    columns: { accountCode, heldBytes: integer() },
    key: ['accountCode'],
  }),

  /** The result of each change of such a request, written in the transaction of the change. */
  idempotencySteps: table('idempotency_steps', {
    columns: { accountCode, key: text(), number: integer(), result: text(), createdAt },
    key: ['accountCode', 'key', 'number'],
    indexes: { idempotency_steps_by_age: ['createdAt'] },
  }),
}

export type Descriptions = typeof descriptions

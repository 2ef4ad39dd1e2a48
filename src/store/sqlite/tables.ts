import { sql } from 'drizzle-orm'
import {
  blob,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { rowBytes } from '../../domain/idempotency.ts'
import type { MembershipEventKind } from '../../domain/store.ts'

// Every primary and unique key starts with the account, so that no row can be found or blocked across accounts.

const createdAt = () =>
  integer('created_at', { mode: 'timestamp_ms' })
    .notNull()
    .default(sql`(cast(unixepoch('subsec') * 1000 as integer))`)

const accountCode = () => text('account_code').notNull()
const ownAccountCode = () => accountCode().references(() => accounts.accountCode)

export const accounts = sqliteTable(
  'accounts',
  { accountCode: accountCode(), createdAt: createdAt() },
  table => [primaryKey({ columns: [table.accountCode] })],
)

export const users = sqliteTable(
  'users',
  {
    accountCode: ownAccountCode(),
    id: integer('id').notNull(),
    email: text('email'),
    displayName: text('display_name'),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.id] }),
    index('users_by_email').on(table.accountCode, table.email, table.id),
  ],
)

export const teams = sqliteTable(
  'teams',
  { accountCode: ownAccountCode(), id: integer('id').notNull(), name: text('name'), createdAt: createdAt() },
  table => [primaryKey({ columns: [table.accountCode, table.id] })],
)

export const teamMemberships = sqliteTable(
  'team_memberships',
  {
    accountCode: accountCode(),
    id: integer('id').notNull(),
    userId: integer('user_id').notNull(),
    teamId: integer('team_id').notNull(),
    leader: integer('leader', { mode: 'boolean' }),
    version: integer('version').notNull().default(1),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.id] }),
    uniqueIndex('team_memberships_pair').on(table.accountCode, table.userId, table.teamId),
    index('team_memberships_by_team').on(table.accountCode, table.teamId, table.id),
    index('team_memberships_by_user').on(table.accountCode, table.userId, table.id),
    foreignKey({ columns: [table.accountCode, table.userId], foreignColumns: [users.accountCode, users.id] }),
    foreignKey({ columns: [table.accountCode, table.teamId], foreignColumns: [teams.accountCode, teams.id] }),
  ],
)

export const apiTokens = sqliteTable(
  'api_tokens',
  {
    accountCode: accountCode(),
    id: integer('id').notNull(),
    userId: integer('user_id').notNull(),
    label: text('label'),
    scopes: text('scopes').notNull(),
    sha256: blob('sha256', { mode: 'buffer' }).notNull(),
    createdAt: createdAt(),
    revokedAt: integer('revoked_at', { mode: 'timestamp_ms' }),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.id] }),
    index('api_tokens_by_sha256').on(table.sha256),
    index('api_tokens_by_id').on(table.id),
    foreignKey({ columns: [table.accountCode, table.userId], foreignColumns: [users.accountCode, users.id] }),
  ],
)

/** The last number given out under each name in an account; the account code is empty for numbers that are unique over the whole store. */
export const counters = sqliteTable(
  'counters',
  {
    accountCode: accountCode(),
    name: text('name').notNull(),
    value: integer('value').notNull(),
  },
  table => [primaryKey({ columns: [table.accountCode, table.name] })],
)

/** Append-only: what became of each membership. */
export const membershipEvents = sqliteTable(
  'membership_events',
  {
    accountCode: accountCode(),
    sequence: integer('sequence').notNull(),
    kind: text('kind').$type<MembershipEventKind>().notNull(),
    membershipId: integer('membership_id').notNull(),
    beforeUserId: integer('before_user_id'),
    beforeTeamId: integer('before_team_id'),
    afterUserId: integer('after_user_id'),
    afterTeamId: integer('after_team_id'),
    byUserId: integer('by_user_id'),
    byEmail: text('by_email'),
    transactionId: text('transaction_id').notNull(),
    createdAt: createdAt(),
  },
  table => [primaryKey({ columns: [table.accountCode, table.sequence] })],
)

/** Requests that came with an idempotency key, and what they were answered once they were. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    accountCode: accountCode(),
    key: text('key').notNull(),
    fingerprint: blob('fingerprint', { mode: 'buffer' }).notNull(),
    holder: text('holder').notNull(),
    heldUntil: integer('held_until', { mode: 'timestamp_ms' }).notNull(),
    answer: blob('answer', { mode: 'buffer' }),
    /** What the row and its steps count for in the account's usage. */
    heldBytes: integer('held_bytes').notNull().default(rowBytes),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.key] }),
    index('idempotency_keys_by_age').on(table.createdAt),
  ],
)

/** What all keys of an account with their steps count for. */
export const idempotencyUsage = sqliteTable(
  'idempotency_usage',
  { accountCode: accountCode(), heldBytes: integer('held_bytes').notNull() },
  table => [primaryKey({ columns: [table.accountCode] })],
)

/** What each change of such a request came to, written in the transaction of the change. */
export const idempotencySteps = sqliteTable(
  'idempotency_steps',
  {
    accountCode: accountCode(),
    key: text('key').notNull(),
    number: integer('number').notNull(),
    result: text('result').notNull(),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.key, table.number] }),
    index('idempotency_steps_by_age').on(table.createdAt),
  ],
)

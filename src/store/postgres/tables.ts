import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { rowBytes } from '../../domain/idempotency.ts'
import type { MembershipEventKind } from '../../domain/store.ts'

// Every primary and unique key starts with the account, so that no row can be found or blocked across accounts, and a
// PostgreSQL spread by account needs no other tables.

const int8 = (name: string) => bigint(name, { mode: 'number' })
const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow()
const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

const accountCode = () => text('account_code').notNull()
const ownAccountCode = () => accountCode().references(() => accounts.accountCode)

export const accounts = pgTable('accounts', { accountCode: accountCode(), createdAt: createdAt() }, table => [
  primaryKey({ columns: [table.accountCode] }),
])

export const users = pgTable(
  'users',
  {
    accountCode: ownAccountCode(),
    id: int8('id').notNull(),
    email: text('email'),
    displayName: text('display_name'),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.id] }),
    index('users_by_email').on(table.accountCode, table.email, table.id),
  ],
)

export const teams = pgTable(
  'teams',
  { accountCode: ownAccountCode(), id: int8('id').notNull(), name: text('name'), createdAt: createdAt() },
  table => [primaryKey({ columns: [table.accountCode, table.id] })],
)

export const teamMemberships = pgTable(
  'team_memberships',
  {
    accountCode: accountCode(),
    id: int8('id').notNull(),
    userId: int8('user_id').notNull(),
    teamId: int8('team_id').notNull(),
    leader: boolean('leader'),
    version: int8('version').notNull().default(1),
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

export const apiTokens = pgTable(
  'api_tokens',
  {
    accountCode: accountCode(),
    // Unique over the store, for it is operators who name tokens by it.
    id: int8('id').notNull().generatedByDefaultAsIdentity(),
    userId: int8('user_id').notNull(),
    label: text('label'),
    scopes: text('scopes').notNull(),
    sha256: bytes('sha256').notNull(),
    createdAt: createdAt(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.id] }),
    index('api_tokens_by_sha256').on(table.sha256),
    index('api_tokens_by_id').on(table.id),
    foreignKey({ columns: [table.accountCode, table.userId], foreignColumns: [users.accountCode, users.id] }),
  ],
)

/** The last number given out under each name in an account. */
export const counters = pgTable(
  'counters',
  { accountCode: ownAccountCode(), name: text('name').notNull(), value: int8('value').notNull() },
  table => [primaryKey({ columns: [table.accountCode, table.name] })],
)

/** Append-only: what became of each membership. */
export const membershipEvents = pgTable(
  'membership_events',
  {
    accountCode: accountCode(),
    sequence: int8('sequence').notNull(),
    kind: text('kind').$type<MembershipEventKind>().notNull(),
    membershipId: int8('membership_id').notNull(),
    beforeUserId: int8('before_user_id'),
    beforeTeamId: int8('before_team_id'),
    afterUserId: int8('after_user_id'),
    afterTeamId: int8('after_team_id'),
    byUserId: int8('by_user_id'),
    byEmail: text('by_email'),
    transactionId: text('transaction_id').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  },
  table => [primaryKey({ columns: [table.accountCode, table.sequence] })],
)

/** Requests that came with an idempotency key, and what they were answered once they were. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountCode: accountCode(),
    key: text('key').notNull(),
    fingerprint: bytes('fingerprint').notNull(),
    holder: text('holder').notNull(),
    heldUntil: timestamp('held_until', { withTimezone: true }).notNull(),
    answer: bytes('answer'),
    /** What the row and its steps count for in the account's usage. */
    heldBytes: int8('held_bytes').notNull().default(rowBytes),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.key] }),
    index('idempotency_keys_by_age').on(table.createdAt),
  ],
)

/** What all keys of an account with their steps count for. */
export const idempotencyUsage = pgTable(
  'idempotency_usage',
  { accountCode: accountCode(), heldBytes: int8('held_bytes').notNull() },
  table => [primaryKey({ columns: [table.accountCode] })],
)

/** What each change of such a request came to, written in the transaction of the change. */
export const idempotencySteps = pgTable(
  'idempotency_steps',
  {
    accountCode: accountCode(),
    key: text('key').notNull(),
    number: int8('number').notNull(),
    result: text('result').notNull(),
    createdAt: createdAt(),
  },
  table => [
    primaryKey({ columns: [table.accountCode, table.key, table.number] }),
    index('idempotency_steps_by_age').on(table.createdAt),
  ],
)

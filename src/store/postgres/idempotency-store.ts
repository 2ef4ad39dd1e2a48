import { and, eq, isNull, not, type SQL, sql } from 'drizzle-orm'
import type {
  Claim,
  ClaimRequest,
  ClaimResult,
  IdempotencyStore,
} from '../../domain/idempotency/idempotency.ts'
import { rowBytes } from '../../domain/idempotency/idempotency.ts'
import type { Database } from '../database.ts'
import { decideClaim, unanswered } from '../entities/decide-claim.ts'
import type { StoreColumn } from '../tables/tables-of.ts'
import type { Transactions } from './connection/transactions.ts'
import {
  deleteExpiredKey,
  forgetOldKeys,
  freeKey,
  insertKey,
  settleKey,
  withdrawKey,
} from './idempotency-statements.ts'

/**
 * All times are the database's, since the clocks of the gateways may differ. Each statement is a transaction of its own and says what it
 * needs to find, so a gateway that hangs holds no lock.
 */
export function createIdempotencyStore(database: Database, transactions: Transactions): IdempotencyStore {
  const { read } = database
  const statements = prepareStatements(database)
  const { client } = transactions

  async function insert(request: ClaimRequest): Promise<boolean> {
    const { accountCode, key, fingerprint, holder, holdMs, maxBytes } = request
    const values = [accountCode, key, fingerprint, holder, holdMs, unanswered(request), maxBytes]
    return (await client.query(insertKey, values)).length > 0
  }

  /** Null where it is to be tried again: the key has changed since we looked. */
  async function claimAgain(request: ClaimRequest): Promise<ClaimResult | null> {
    const id = { ...request, answer: unanswered(request), sinceMs: -request.keptMs }
    const [found] = await read(statements.find, id)
    if (found === undefined) return (await isFull(request)) ? { kind: 'full' } : null
    const decision = decideClaim(found, request)
    switch (decision.kind) {
      case 'claimed':
        return (await read(statements.takeOver, id)).length > 0 ? decision : null
      case 'expired':
        return (await replaceExpired(request)) ? { kind: 'claimed' } : null
      default:
        return decision
    }
  }

  // In its place there is room, whatever else the account holds.
  async function replaceExpired(request: ClaimRequest): Promise<boolean> {
    const { accountCode, key, keptMs } = request
    const values = [accountCode, key, keptMs]
    const deleted = await transactions.retry(() => client.query(deleteExpiredKey, values))
    return deleted.length > 0 && insert({ ...request, maxBytes: Number.MAX_SAFE_INTEGER })
  }

  async function isFull({ accountCode, maxBytes }: ClaimRequest): Promise<boolean> {
    const [found] = await read(statements.findUsage, { accountCode })
    return (found?.heldBytes ?? 0) + rowBytes > maxBytes
  }

  return {
    async claim(request) {
      for (;;) {
        if (await transactions.retry(() => insert(request))) return { kind: 'claimed' }
        const result = await claimAgain(request)
        if (result !== null) return result
      }
    },
    async renew(claim, holdMs) {
      await read(statements.renew, { ...claim, holdMs })
    },
    async settle(claim, answer, maxBytes) {
      const values = [...valuesOf(claim), answer, maxBytes ?? Number.MAX_SAFE_INTEGER]
      const [counted] = await transactions.retry(() => client.query(settleKey, values))
      if (counted === undefined) return 'lost'
      return counted.is_kept === true ? 'kept' : 'full'
    },
    async release(claim, outcome) {
      const isUndone = outcome === 'undone'
      const withdraw = () => client.query(withdrawKey, valuesOf(claim))
      if (isUndone && (await transactions.retry(withdraw)).length > 0) return
      await transactions.retry(() => client.query(freeKey, [...valuesOf(claim), isUndone]))
    },
    async forgetOlderThan(ageMs, maxKeys) {
      return (await transactions.retry(() => client.query(forgetOldKeys, [ageMs, maxKeys]))).length
    },
  }
}

function valuesOf({ accountCode, key, holder }: Claim): readonly [string, string, string] {
  return [accountCode, key, holder]
}

function prepareStatements({ build, prepare, typed, nowPlus, now, tables }: Database) {
  const { idempotencyKeys: keys, idempotencyUsage: usage } = tables
  const holder = sql.placeholder('holder')
  const isTheKey = and(
    eq(keys.accountCode, sql.placeholder('accountCode')),
    eq(keys.key, sql.placeholder('key')),
  )
  const heldUntil = nowPlus(sql.placeholder('holdMs'))
  const isHeld = sql`(${keys.holder} <> ${holder} and ${keys.heldUntil} > ${now})`
  const isExpired = sql`${keys.createdAt} <= ${nowPlus(sql.placeholder('sinceMs'))}`
  const found = {
    fingerprint: keys.fingerprint,
    isExpired: booleanOf(isExpired),
    isHeld: booleanOf(isHeld),
    answer: keys.answer,
  }
  const isFree = and(
    isTheKey,
    eq(keys.fingerprint, sql.placeholder('fingerprint')),
    isNull(keys.answer),
    not(isHeld),
  )
  const key = { key: keys.key }
  const bytes = { heldBytes: usage.heldBytes }
  const takeOver = build
    .update(keys)
    .set({ holder: sql`${holder}`, heldUntil, answer: typed(sql.placeholder('answer'), 'bytes') })
    .where(isFree)
    .returning(key)
  return {
    find: prepare(build.select(found).from(keys).where(isTheKey), found),
    takeOver: prepare(takeOver, key),
    renew: prepare(
      build
        .update(keys)
        .set({ heldUntil })
        .where(and(isTheKey, eq(keys.holder, holder))),
    ),
    findUsage: prepare(
      build
        .select(bytes)
        .from(usage)
        .where(eq(usage.accountCode, sql.placeholder('accountCode'))),
      bytes,
    ),
  }
}

// PostgreSQL has booleans.
function booleanOf(expression: SQL): StoreColumn<boolean> {
  return expression as unknown as StoreColumn<boolean>
}

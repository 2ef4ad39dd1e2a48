import { and, eq, isNull, not, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Claim, ClaimRequest, ClaimResult, IdempotencyStore } from '../../domain/idempotency.ts'
import { rowBytes } from '../../domain/idempotency.ts'
import { decideClaim, unanswered } from '../decide-claim.ts'
import {
  deleteExpiredKey,
  forgetOldKeys,
  freeKey,
  insertKey,
  settleKey,
  withdrawKey,
} from './idempotency-statements.ts'
import { idempotencyKeys as keys, idempotencyUsage as usage } from './tables.ts'
import type { Transactions } from './transactions.ts'

/**
 * All times are the database's, since the clocks of the gateways may differ. Each statement is a transaction of its own and says what it
 * needs to find, so a gateway that hangs holds no lock.
 */
export function createIdempotencyStore(db: PgRemoteDatabase, transactions: Transactions): IdempotencyStore {
  const statements = prepare(db)
  const { client } = transactions

  async function insert(request: ClaimRequest): Promise<boolean> {
    const { accountCode, key, fingerprint, holder, holdMs, maxBytes } = request
    const values = [accountCode, key, fingerprint, holder, holdMs, unanswered(request), maxBytes]
    return (await client.query(insertKey, values)).length > 0
  }

  /** Null where it is to be tried again: the key has changed since we looked. */
  async function claimAgain(request: ClaimRequest): Promise<ClaimResult | null> {
    const id = { ...request, answer: unanswered(request) }
    const [found] = await statements.find.execute(id)
    if (found === undefined) return (await isFull(request)) ? { kind: 'full' } : null
    const decision = decideClaim(found, request)
    switch (decision.kind) {
      case 'claimed':
        return (await statements.takeOver.execute(id)).length > 0 ? decision : null
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
    const [found] = await statements.findUsage.execute({ accountCode })
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
      await statements.renew.execute({ ...claim, holdMs })
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

function prepare(db: PgRemoteDatabase) {
  const accountCode = sql.placeholder('accountCode')
  const holder = sql.placeholder('holder')
  const isTheKey = and(eq(keys.accountCode, accountCode), eq(keys.key, sql.placeholder('key')))
  const heldUntil = sql`now() + ${sql.placeholder('holdMs')}::float8 * interval '1 millisecond'`
  const oldest = sql`now() - ${sql.placeholder('keptMs')}::float8 * interval '1 millisecond'`
  const answer = sql`${sql.placeholder('answer')}::bytea`
  const isHeld = sql<boolean>`(${keys.holder} <> ${holder} and ${keys.heldUntil} > now())`
  return {
    find: db
      .select({
        fingerprint: keys.fingerprint,
        isExpired: sql<boolean>`${keys.createdAt} <= ${oldest}`,
        isHeld,
        answer: keys.answer,
      })
      .from(keys)
      .where(isTheKey)
      .prepare('find_key'),
    takeOver: db
      .update(keys)
      .set({ holder: sql`${holder}`, heldUntil, answer })
      .where(
        and(isTheKey, eq(keys.fingerprint, sql.placeholder('fingerprint')), isNull(keys.answer), not(isHeld)),
      )
      .returning({ key: keys.key })
      .prepare('take_key_over'),
    renew: db
      .update(keys)
      .set({ heldUntil })
      .where(and(isTheKey, eq(keys.holder, holder)))
      .prepare('renew_key'),
    findUsage: db
      .select({ heldBytes: usage.heldBytes })
      .from(usage)
      .where(eq(usage.accountCode, accountCode))
      .prepare('find_key_usage'),
  }
}

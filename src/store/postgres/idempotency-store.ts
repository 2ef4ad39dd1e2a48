import { and, eq, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Claim, ClaimRequest, ClaimResult, IdempotencyStore } from '../../domain/idempotency.ts'
import { rowBytes } from '../../domain/idempotency.ts'
import { decideClaim, unanswered } from '../decide-claim.ts'
import {
  deleteKey,
  forgetOldKeys,
  freeKey,
  insertKey,
  settleKey,
  withdrawKey,
} from './idempotency-statements.ts'
import { idempotencyKeys as keys, idempotencyUsage as usage } from './tables.ts'
import type { Transactions } from './transactions.ts'

/** All times are the database's, since the clocks of the gateways may differ. */
export function createIdempotencyStore(db: PgRemoteDatabase, transactions: Transactions): IdempotencyStore {
  const statements = prepare(db)
  const { client } = transactions

  async function insert(request: ClaimRequest): Promise<boolean> {
    const { accountCode, key, fingerprint, holder, holdMs, maxBytes } = request
    const values = [accountCode, key, fingerprint, holder, holdMs, unanswered(request), maxBytes]
    return (await client.query(insertKey, values)).length > 0
  }

  /** Null where there is no such key. */
  async function claimAgain(request: ClaimRequest): Promise<ClaimResult | null> {
    const id = { ...request, answer: unanswered(request) }
    const [found] = await statements.find.execute(id)
    if (found === undefined) return null
    const decision = decideClaim(found, request)
    if (decision.kind === 'claimed') await statements.takeOver.execute(id)
    if (decision.kind !== 'expired') return decision
    // In its place there is room.
    await client.query(deleteKey, [request.accountCode, request.key])
    await insert({ ...request, maxBytes: Number.MAX_SAFE_INTEGER })
    return { kind: 'claimed' }
  }

  async function isFull({ accountCode, maxBytes }: ClaimRequest): Promise<boolean> {
    const [found] = await statements.findUsage.execute({ accountCode })
    return (found?.heldBytes ?? 0) + rowBytes > maxBytes
  }

  return {
    async claim(request) {
      for (;;) {
        if (await transactions.retry(() => insert(request))) return { kind: 'claimed' }
        const result = await transactions.write(() => claimAgain(request))
        if (result !== null) return result
        // Else the key was forgotten meanwhile.
        if (await isFull(request)) return { kind: 'full' }
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
      await transactions.write(async () => {
        const isUndone = outcome === 'undone'
        if (isUndone && (await client.query(withdrawKey, valuesOf(claim))).length > 0) return
        await client.query(freeKey, [...valuesOf(claim), isUndone])
      })
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
  return {
    find: db
      .select({
        fingerprint: keys.fingerprint,
        isExpired: sql<boolean>`${keys.createdAt} <= ${oldest}`,
        isHeld: sql<boolean>`${keys.holder} <> ${holder} and ${keys.heldUntil} > now()`,
        answer: keys.answer,
      })
      .from(keys)
      .where(isTheKey)
      .for('update')
      .prepare('find_key'),
    takeOver: db
      .update(keys)
      .set({ holder: sql`${holder}`, heldUntil, answer })
      .where(isTheKey)
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

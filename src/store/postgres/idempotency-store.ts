import { and, eq, notExists, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { ClaimRequest, ClaimResult, IdempotencyStore } from '../../domain/idempotency.ts'
import { decideClaim, unanswered } from '../decide-claim.ts'
import { idempotencyKeys as keys, idempotencySteps as steps } from './tables.ts'
import type { Transactions } from './transactions.ts'

/** All times are the database's, since the clocks of the gateways may differ. */
export function createIdempotencyStore(db: PgRemoteDatabase, transactions: Transactions): IdempotencyStore {
  const statements = prepare(db)

  /** Null where the key was forgotten meanwhile. */
  async function claimAgain(request: ClaimRequest): Promise<ClaimResult | null> {
    const id = { ...request, answer: unanswered(request) }
    const [found] = await statements.find.execute(id)
    if (found === undefined) return null
    const decision = decideClaim(found, request)
    if (decision.kind === 'claimed') await statements.takeOver.execute(id)
    if (decision.kind !== 'expired') return decision
    await statements.deleteSteps.execute(id)
    await statements.deleteKey.execute(id)
    await statements.insert.execute(id)
    return { kind: 'claimed' }
  }

  return {
    async claim(request) {
      for (;;) {
        const values = { ...request, answer: unanswered(request) }
        const [inserted] = await transactions.retry(() => statements.insert.execute(values))
        if (inserted !== undefined) return { kind: 'claimed' }
        const result = await transactions.write(() => claimAgain(request))
        if (result !== null) return result
      }
    },
    async renew(claim, holdMs) {
      await statements.renew.execute({ ...claim, holdMs })
    },
    async settle(claim, answer) {
      return (await statements.settle.execute({ ...claim, answer })).length > 0
    },
    async release(claim, outcome) {
      await transactions.write(async () => {
        if (outcome === 'unknown') return void (await statements.free.execute({ ...claim }))
        const withdrawn = await statements.withdraw.execute({ ...claim })
        if (withdrawn.length === 0) await statements.clear.execute({ ...claim })
      })
    },
    async forgetOlderThan(ageMs, most) {
      return (await transactions.retry(() => statements.forgetOld(ageMs, most))).length
    },
  }
}

function prepare(db: PgRemoteDatabase) {
  const { accountCode, key } = { accountCode: sql.placeholder('accountCode'), key: sql.placeholder('key') }
  const isTheKey = and(eq(keys.accountCode, accountCode), eq(keys.key, key))
  const isOfKey = and(eq(steps.accountCode, accountCode), eq(steps.key, key))
  const holder = sql.placeholder('holder')
  const isTheClaim = and(isTheKey, eq(keys.holder, holder))
  const heldUntil = sql`now() + ${sql.placeholder('holdMs')}::float8 * interval '1 millisecond'`
  const oldest = sql`now() - ${sql.placeholder('keptMs')}::float8 * interval '1 millisecond'`
  const answer = sql`${sql.placeholder('answer')}::bytea`
  const noLonger = sql`'epoch'::timestamptz`
  const stepsOfKey = db.select({ number: steps.number }).from(steps).where(isOfKey)
  return {
    insert: db
      .insert(keys)
      .values({ accountCode, key, fingerprint: sql.placeholder('fingerprint'), holder, heldUntil, answer })
      .onConflictDoNothing()
      .returning({ key: keys.key })
      .prepare('claim_key'),
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
    renew: db.update(keys).set({ heldUntil }).where(isTheClaim).prepare('renew_key'),
    settle: db
      .update(keys)
      .set({ answer })
      .where(isTheClaim)
      .returning({ key: keys.key })
      .prepare('settle_key'),
    free: db.update(keys).set({ heldUntil: noLonger }).where(isTheClaim).prepare('free_key'),
    withdraw: db
      .delete(keys)
      .where(and(isTheClaim, notExists(stepsOfKey)))
      .returning({ key: keys.key })
      .prepare('withdraw_key'),
    clear: db.update(keys).set({ heldUntil: noLonger, answer: null }).where(isTheClaim).prepare('clear_key'),
    deleteKey: db.delete(keys).where(isTheKey).prepare('delete_key'),
    deleteSteps: db.delete(steps).where(isOfKey).prepare('delete_steps'),
    forgetOld: (ageMs: number, most: number) =>
      db.execute(sql`
        with old as (
          delete from ${keys} where (account_code, key) in (
            select account_code, key from ${keys}
            where created_at < now() - ${ageMs}::float8 * interval '1 millisecond'
            limit ${most} for update skip locked
          ) returning account_code, key
        ), done as (
          delete from ${steps} using old
          where ${steps.accountCode} = old.account_code and ${steps.key} = old.key
        )
        select 1 from old`),
  }
}

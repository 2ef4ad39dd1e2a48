import { and, eq, lt, notExists, sql } from 'drizzle-orm'
import type { ClaimRequest, ClaimResult, IdempotencyStore } from '../../domain/idempotency.ts'
import { decideClaim, unanswered } from '../decide-claim.ts'
import type { SqliteDb } from './connect.ts'
import { prepareChange, prepareRows } from './prepare-statement.ts'
import { idempotencyKeys as keys, idempotencySteps as steps } from './tables.ts'
import type { Transactions } from './transactions.ts'

type RawKey = [fingerprint: Buffer, createdAt: number, answer: Buffer | null]

export function createIdempotencyStore(db: SqliteDb, transactions: Transactions): IdempotencyStore {
  const statements = prepare(db)

  function claim(request: ClaimRequest): ClaimResult {
    const now = Date.now()
    const found = statements.find.get({ ...request })
    if (found !== undefined) {
      // A SQLite file has one gateway, and who asks is it: nobody else can be at the key.
      const isExpired = found.createdAt <= now - request.keptMs
      const decision = decideClaim({ ...found, isExpired, isHeld: false }, request)
      if (decision.kind !== 'expired' && decision.kind !== 'claimed') return decision
      if (decision.kind === 'expired') forget(request)
    }
    const heldUntil = new Date(now + request.holdMs)
    statements.put({ ...request, heldUntil, answer: unanswered(request) })
    return { kind: 'claimed' }
  }

  function forget(id: { accountCode: string; key: string }): void {
    statements.deleteSteps({ ...id })
    statements.deleteKey({ ...id })
  }

  return {
    claim: request =>
      transactions.write(
        () => claim(request),
        ({ kind }) => kind === 'claimed',
      ),
    // Nobody could take it over.
    async renew() {},
    settle: (claim, answer) => transactions.write(() => statements.settle({ ...claim, answer }) > 0),
    async release(claim, outcome) {
      if (outcome === 'unknown') return
      await transactions.write(() => {
        if (statements.withdraw({ ...claim }) === 0) statements.clear({ ...claim })
      })
    },
    forgetOlderThan: (ageMs, most) =>
      transactions.write(
        () => {
          const old = statements.listOld.all({ time: Date.now() - ageMs, most })
          for (const id of old) forget(id)
          return old.length
        },
        forgotten => forgotten > 0,
      ),
  }
}

function prepare(db: SqliteDb) {
  const { accountCode, key } = { accountCode: sql.placeholder('accountCode'), key: sql.placeholder('key') }
  const isTheKey = and(eq(keys.accountCode, accountCode), eq(keys.key, key))
  const isOfKey = and(eq(steps.accountCode, accountCode), eq(steps.key, key))
  const isTheClaim = and(isTheKey, eq(keys.holder, sql.placeholder('holder')))
  const claimed = {
    holder: sql.placeholder('holder'),
    heldUntil: sql.placeholder('heldUntil'),
    answer: sql.placeholder('answer'),
  }
  const find = db
    .select({ fingerprint: keys.fingerprint, createdAt: keys.createdAt, answer: keys.answer })
    .from(keys)
    .where(isTheKey)
  const put = db
    .insert(keys)
    .values({ accountCode, key, fingerprint: sql.placeholder('fingerprint'), ...claimed })
    .onConflictDoUpdate({
      target: [keys.accountCode, keys.key],
      set: {
        holder: sql`excluded.holder`,
        heldUntil: sql`excluded.held_until`,
        answer: sql`excluded.answer`,
      },
    })
  const stepsOfKey = db.select({ number: steps.number }).from(steps).where(isOfKey)
  const listOld = db
    .select({ accountCode: keys.accountCode, key: keys.key })
    .from(keys)
    .where(lt(keys.createdAt, sql.placeholder('time')))
    .limit(sql.placeholder('most'))
  return {
    find: prepareRows(db, {
      query: find,
      read: ([fingerprint, createdAt, answer]: RawKey) => ({ fingerprint, createdAt, answer }),
    }),
    put: prepareChange(db, put),
    settle: prepareChange(
      db,
      db
        .update(keys)
        .set({ answer: sql`${sql.placeholder('answer')}` })
        .where(isTheClaim),
    ),
    withdraw: prepareChange(db, db.delete(keys).where(and(isTheClaim, notExists(stepsOfKey)))),
    clear: prepareChange(db, db.update(keys).set({ answer: null }).where(isTheClaim)),
    deleteKey: prepareChange(db, db.delete(keys).where(isTheKey)),
    deleteSteps: prepareChange(db, db.delete(steps).where(isOfKey)),
    listOld: prepareRows(db, {
      query: listOld,
      read: ([accountCode, key]: [string, string]) => ({ accountCode, key }),
    }),
  }
}

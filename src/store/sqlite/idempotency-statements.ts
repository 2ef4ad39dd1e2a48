import { and, eq, lt, sql } from 'drizzle-orm'
import { rowBytes } from '../../domain/idempotency.ts'
import type { SqliteDb } from './connect.ts'
import { prepareChange, prepareRows } from './prepare-statement.ts'
import { idempotencyKeys as keys, idempotencySteps as steps, idempotencyUsage as usage } from './tables.ts'

type RawKey = [fingerprint: Buffer, createdAt: number, answer: Buffer | null]

const accountCode = sql.placeholder('accountCode')
const key = sql.placeholder('key')
const holder = sql.placeholder('holder')
const answer = sql.placeholder('answer')
const heldBytes = sql.placeholder('heldBytes')

const isTheKey = and(eq(keys.accountCode, accountCode), eq(keys.key, key))
const isTheClaim = and(isTheKey, eq(keys.holder, holder))
const isOfKey = and(eq(steps.accountCode, accountCode), eq(steps.key, key))

/** The statements of keys, for `idempotency-store.ts`; each change of what a key holds has its `addUsage` beside it there. */
export function prepareIdempotencyStatements(db: SqliteDb) {
  const stepBytes = db
    .select({ bytes: sql`coalesce(sum(${rowBytes} + octet_length(${steps.result})), 0)` })
    .from(steps)
    .where(isOfKey)
  return {
    find: prepareRows(db, {
      query: db
        .select({ fingerprint: keys.fingerprint, createdAt: keys.createdAt, answer: keys.answer })
        .from(keys)
        .where(isTheKey),
      read: ([fingerprint, createdAt, answer]: RawKey) => ({ fingerprint, createdAt, answer }),
    }),
    /** A new key, or one that is taken over with all that it holds. */
    put: prepareChange(
      db,
      db
        .insert(keys)
        .values({
          accountCode,
          key,
          fingerprint: sql.placeholder('fingerprint'),
          holder,
          heldUntil: sql.placeholder('heldUntil'),
          answer,
          heldBytes: rowBytes,
        })
        .onConflictDoUpdate({
          target: [keys.accountCode, keys.key],
          set: {
            holder: sql`excluded.holder`,
            heldUntil: sql`excluded.held_until`,
            answer: sql`excluded.answer`,
          },
        }),
    ),
    /** What the key of a claim holds as it is counted, and its steps as they are. */
    count: prepareRows(db, {
      query: db
        .select({ heldBytes: keys.heldBytes, stepBytes: sql`(${stepBytes})` })
        .from(keys)
        .where(isTheClaim),
      read: ([heldBytes, stepBytes]: [number, number]) => ({ heldBytes, stepBytes }),
    }),
    settle: prepareChange(
      db,
      db
        .update(keys)
        .set({ answer: sql`${answer}`, heldBytes: sql`${heldBytes}` })
        .where(isTheKey),
    ),
    setBytes: prepareChange(
      db,
      db
        .update(keys)
        .set({ heldBytes: sql`${heldBytes}` })
        .where(isTheKey),
    ),
    clear: prepareChange(db, db.update(keys).set({ answer: null }).where(isTheKey)),
    deleteKey: prepareRows(db, {
      query: db.delete(keys).where(isTheKey).returning({ heldBytes: keys.heldBytes }),
      read: ([heldBytes]: [number]) => heldBytes,
    }),
    deleteSteps: prepareChange(db, db.delete(steps).where(isOfKey)),
    listOld: prepareRows(db, {
      query: db
        .select({ accountCode: keys.accountCode, key: keys.key })
        .from(keys)
        .where(lt(keys.createdAt, sql.placeholder('time')))
        .limit(sql.placeholder('maxKeys')),
      read: ([accountCode, key]: [string, string]) => ({ accountCode, key }),
    }),
    findUsage: prepareRows(db, {
      query: db.select({ heldBytes: usage.heldBytes }).from(usage).where(eq(usage.accountCode, accountCode)),
      read: ([heldBytes]: [number]) => heldBytes,
    }),
    addUsage: prepareChange(
      db,
      db
        .insert(usage)
        .values({ accountCode, heldBytes })
        .onConflictDoUpdate({
          target: usage.accountCode,
          set: { heldBytes: sql`${usage.heldBytes} + excluded.held_bytes` },
        }),
    ),
  }
}

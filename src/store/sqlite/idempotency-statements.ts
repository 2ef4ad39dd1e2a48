import { and, asc, eq, lt, sql } from 'drizzle-orm'
import { rowBytes } from '../../domain/idempotency/idempotency.ts'
import type { Dialect } from '../dialect.ts'
import { numberOf } from '../tables/tables-of.ts'

const accountCode = sql.placeholder('accountCode')
const key = sql.placeholder('key')
const holder = sql.placeholder('holder')
const answer = sql.placeholder('answer')

/** The statements of `idempotency-store.ts`, where each change of what a key holds has its `addUsage` beside it. */
export function prepareIdempotencyStatements(dialect: Dialect) {
  return { ...prepareReads(dialect), ...prepareWrites(dialect), ...prepareUsage(dialect) }
}

function conditions({ idempotencyKeys: keys, idempotencySteps: steps }: Dialect['tables']) {
  const isTheKey = and(eq(keys.accountCode, accountCode), eq(keys.key, key))
  return {
    isTheKey,
    isTheClaim: and(isTheKey, eq(keys.holder, holder)),
    isOfKey: and(eq(steps.accountCode, accountCode), eq(steps.key, key)),
  }
}

function prepareReads({ build, prepare, nowPlus, tables }: Dialect) {
  const { idempotencyKeys: keys, idempotencySteps: steps } = tables
  const { isTheKey, isTheClaim, isOfKey } = conditions(tables)
  const isExpired = sql`${keys.createdAt} <= ${nowPlus(sql.placeholder('keptMs'))}`
  const found = {
    fingerprint: keys.fingerprint,
    answer: keys.answer,
    isExpired: numberOf(sql`case when ${isExpired} then 1 else 0 end`),
  }
  const stepBytes = build
    .select({ bytes: sql`cast(coalesce(sum(${rowBytes} + octet_length(${steps.result})), 0) as bigint)` })
    .from(steps)
    .where(isOfKey)
  const counted = { heldBytes: keys.heldBytes, stepBytes: numberOf(sql`(${stepBytes})`) }
  const old = { accountCode: keys.accountCode, key: keys.key }
  const listOld = build
    .select(old)
    .from(keys)
    .where(lt(keys.createdAt, nowPlus(sql.placeholder('ageMs'))))
    .orderBy(asc(keys.createdAt))
    .limit(sql.placeholder('maxKeys'))
  return {
    find: prepare(build.select(found).from(keys).where(isTheKey), found),
    /** The bytes that the key of a claim is counted for, and those of its steps as they are. */
    count: prepare(build.select(counted).from(keys).where(isTheClaim), counted),
    listOld: prepare(listOld, old),
  }
}

function prepareWrites({ build, prepare, typed, nowPlus, tables }: Dialect) {
  const { idempotencyKeys: keys, idempotencySteps: steps } = tables
  const { isTheKey, isOfKey } = conditions(tables)
  const heldUntil = nowPlus(sql.placeholder('holdMs'))
  const heldBytes = typed(sql.placeholder('heldBytes'), 'integer')
  const givenAnswer = typed(answer, 'bytes')
  const bytes = { heldBytes: keys.heldBytes }
  const insert = build.insert(keys).values({
    accountCode,
    key,
    fingerprint: sql.placeholder('fingerprint'),
    holder,
    heldUntil,
    answer: givenAnswer,
  })
  const noLonger = nowPlus(0)
  const update = (values: Record<string, unknown>) => build.update(keys).set(values)
  return {
    insert: prepare(insert),
    takeOver: prepare(update({ holder: sql`${holder}`, heldUntil, answer: givenAnswer }).where(isTheKey)),
    settle: prepare(update({ answer: givenAnswer, heldBytes }).where(isTheKey)),
    /** For another attempt at the same request. */
    free: prepare(update({ heldUntil: noLonger, heldBytes }).where(isTheKey)),
    /** For any attempt. */
    clear: prepare(update({ heldUntil: noLonger, answer: null, heldBytes }).where(isTheKey)),
    deleteKey: prepare(build.delete(keys).where(isTheKey).returning(bytes), bytes),
    deleteSteps: prepare(build.delete(steps).where(isOfKey)),
  }
}

function prepareUsage({ build, prepare, typed, tables: { idempotencyUsage: usage } }: Dialect) {
  const added = typed(sql.placeholder('added'), 'integer')
  const bytes = { heldBytes: usage.heldBytes }
  const isOfAccount = eq(usage.accountCode, accountCode)
  const sum = sql`${usage.heldBytes} + ${added}`
  const addUsage = build
    .insert(usage)
    .values({ accountCode, heldBytes: added })
    .onConflictDoUpdate({ target: usage.accountCode, set: { heldBytes: sum } })
  const addUsageWithin = build
    .update(usage)
    .set({ heldBytes: sum })
    .where(and(isOfAccount, sql`${sum} <= ${typed(sql.placeholder('maxBytes'), 'integer')}`))
    .returning(bytes)
  return {
    findUsage: prepare(build.select(bytes).from(usage).where(isOfAccount), bytes),
    addUsage: prepare(addUsage),
    /** No row where the account would then hold more than `maxBytes`. */
    addUsageWithin: prepare(addUsageWithin, bytes),
  }
}

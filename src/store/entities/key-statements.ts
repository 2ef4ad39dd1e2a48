import { type SQL, sql } from 'drizzle-orm'
import { rowBytes } from '../../domain/idempotency/idempotency.ts'
import { select } from '../columns.ts'
import { columnsOf, type Dialect, placeholders } from '../dialect.ts'
import { flagOf, numberOf } from '../tables/tables-of.ts'

const { accountCode, key, holder } = placeholders('accountCode', 'key', 'holder')
const { fingerprint, lastFingerprint } = placeholders('fingerprint', 'lastFingerprint')
const { leaseMs, ageMs, maxKeys } = placeholders('leaseMs', 'ageMs', 'maxKeys')
const bytesOfRow = sql.raw(String(rowBytes))
const isTheKey = sql`idempotency_keys.account_code = ${accountCode} and idempotency_keys.key = ${key}`
const isTheClaim = sql`${isTheKey} and idempotency_keys.holder = ${holder}`
const isOfKey = sql`idempotency_steps.account_code = ${accountCode} and idempotency_steps.key = ${key}`
const isTheAccount = sql`idempotency_usage.account_code = ${accountCode}`
const one = { one: numberOf(sql`1`) }

// Maximum bytes of answers deleted at once. SQLite reads each page of an answer and blocks the event loop.
const maxDeletedBytes = sql.raw(String(4 * 2 ** 20))

/**
 * Each statement changes the bytes of a key and, with them, the bytes of all keys of the account. It locks the key
 * before the account's row of `idempotency_usage`, which every keyed request of the account needs, and takes no lock
 * after that one.
 */
export function prepareIdempotencyStatements(dialect: Dialect) {
  return { ...prepareClaims(dialect), ...prepareEnds(dialect), ...prepareDeletions(dialect) }
}

// Subqueries, since SQLite is slow at `update … from`.
const addUsage = (bytes: SQL) => sql`
  update idempotency_usage set held_bytes = held_bytes + ${bytes} where ${isTheAccount}`

function prepareClaims({ prepare, chain, typed, isShared, now, nowPlus, tables }: Dialect) {
  const { idempotencyKeys: keys, idempotencyUsage: usage } = tables
  const answer = typed(sql.placeholder('answer'), 'bytes')
  const usedBytes = sql`coalesce((select held_bytes from idempotency_usage where ${isTheAccount}), 0)`
  const isExpired = sql`created_at <= ${nowPlus(ageMs)}`
  // Without other gateways, nobody works on a key that is claimed again.
  const isHeld = isShared ? sql`(holder <> ${holder} and held_until > ${now})` : sql`false`
  const flags = { isExpired: flagOf(isExpired), isHeld: flagOf(isHeld) }
  const found = { ...select(keys, { only: ['fingerprint', 'answer'] }), ...flags }
  return {
    /** Returns a row if the key is new and the account has room for it. */
    insert: chain(
      {
        claimed: sql`
          insert into idempotency_keys (account_code, key, fingerprint, holder, held_until, answer, held_bytes)
          select ${accountCode}, ${key}, ${typed(fingerprint, 'bytes')}, ${holder}, ${nowPlus(leaseMs)}, ${answer},
            ${bytesOfRow}
          where ${usedBytes} + ${bytesOfRow} <= ${typed(sql.placeholder('maxBytes'), 'integer')}
          on conflict do nothing returning 1 as one`,
        used: sql`
          insert into idempotency_usage (account_code, held_bytes)
          select ${accountCode}, ${bytesOfRow} from claimed where true
          on conflict (account_code) do update set held_bytes = idempotency_usage.held_bytes + excluded.held_bytes`,
      },
      'claimed',
      one,
    ),
    find: prepare(sql`select ${columnsOf(found)} from idempotency_keys where ${isTheKey}`, found),
    findUsage: prepare(sql`select ${usedBytes}`, { heldBytes: usage.heldBytes }),
    /** Returns a row if the key was still free for this request. */
    takeOver: prepare(
      sql`
        update idempotency_keys set fingerprint = ${fingerprint}, holder = ${holder},
          held_until = ${nowPlus(leaseMs)}, answer = ${answer}, created_at = ${now}
        where ${isTheKey} and fingerprint in (${fingerprint}, ${lastFingerprint}) and answer is null
          and not ${isHeld}
        returning 1`,
      one,
    ),
    renew: prepare(sql`update idempotency_keys set held_until = ${nowPlus(leaseMs)} where ${isTheClaim}`),
  }
}

function prepareEnds({ prepare, chain, typed, nowPlus, forUpdate }: Dialect) {
  const answer = typed(sql.placeholder('answer'), 'bytes')
  const mayAnyone = typed(sql.placeholder('mayAnyone'), 'boolean')
  // The bytes that the key of a claim counts for now, and those with an answer of `answerBytes`.
  const count = (answerBytes: SQL) => sql`
    select held_bytes as bytes_before, ${bytesOfRow} + ${answerBytes} + (
      select coalesce(sum(${bytesOfRow} + octet_length(result)), 0) from idempotency_steps where ${isOfKey}
    ) as bytes_after
    from idempotency_keys where ${isTheClaim} ${forUpdate}`
  const bytesAfter = sql`(select bytes_after from mine)`
  const more = sql`(select cast(bytes_after - bytes_before as bigint) from mine)`
  const maxBytes = typed(sql.placeholder('maxBytes'), 'integer')
  return {
    findClaim: prepare(sql`select 1 from idempotency_keys where ${isTheClaim}`, one),
    /**
     * Returns a row if the answer was kept. The maximum is compared with the usage once its row is locked, so requests
     * that end together do not pass it.
     */
    storeAnswer: chain(
      {
        mine: count(sql`octet_length(${answer})`),
        used: sql`${addUsage(more)} and held_bytes + ${more} <= ${maxBytes} returning 1 as one`,
        settled: sql`
          update idempotency_keys set answer = ${answer}, held_bytes = ${bytesAfter}
          where ${isTheClaim} and exists (select 1 from used) returning 1 as one`,
      },
      'settled',
      one,
    ),
    /** Frees the key and keeps its steps for the next attempt. From here on the steps count for the account. */
    free: chain(
      {
        mine: count(sql`0`),
        freed: sql`
          update idempotency_keys set held_until = ${nowPlus(0)}, held_bytes = ${bytesAfter},
            answer = case when ${mayAnyone} then null else answer end
          where ${isTheClaim} and exists (select 1 from mine) returning 1 as one`,
        used: sql`${addUsage(more)} and exists (select 1 from freed)`,
      },
      'freed',
      one,
    ),
  }
}

function prepareDeletions({ chain, nowPlus, after, forUpdate, skipLocked }: Dialect) {
  const minusDeleted = sql`
    ${addUsage(sql`-(select bytes from deleted)`)} and exists (select 1 from deleted)`
  return {
    /** Returns a row if the key was deleted. A key with steps stays. */
    withdraw: chain(
      {
        deleted: sql`
          delete from idempotency_keys
          where ${isTheClaim} and not exists (select 1 from idempotency_steps where ${isOfKey})
          returning 1 as one, held_bytes as bytes`,
        used: minusDeleted,
      },
      'deleted',
      one,
    ),
    /** Returns a row if the key was expired. */
    deleteExpired: chain(
      {
        deleted: sql`
          delete from idempotency_keys where ${isTheKey} and created_at <= ${nowPlus(ageMs)}
          returning 1 as one, held_bytes as bytes`,
        steps: sql`
          delete from idempotency_steps where ${isOfKey} and exists (select 1 from deleted) returning 1 as one`,
        used: sql`${minusDeleted} and ${after('steps')}`,
      },
      'deleted',
      one,
    ),
    /** Returns a row for each deleted key. Gateways that delete at the same time lock accounts in one order. */
    deleteOld: chain(
      {
        old: sql`
          select account_code, key, held_bytes, created_at from idempotency_keys where created_at < ${nowPlus(ageMs)}
          order by created_at limit ${maxKeys} ${skipLocked}`,
        deleted: sql`
          delete from idempotency_keys where (account_code, key) in (
            select account_code, key from (
              select account_code, key, sum(held_bytes) over (order by created_at, account_code, key) - held_bytes
                as bytes_before
              from old
            ) as sums where bytes_before < ${maxDeletedBytes}
          ) returning 1 as one, account_code, key, held_bytes as bytes`,
        steps: sql`
          delete from idempotency_steps where (account_code, key) in (select account_code, key from deleted)
          returning 1 as one`,
        locked: sql`
          select account_code from idempotency_usage
          where account_code in (select account_code from deleted) and ${after('steps')}
          order by account_code ${forUpdate}`,
        used: sql`
          update idempotency_usage set held_bytes = idempotency_usage.held_bytes - freed.bytes from locked join (
            select account_code, cast(sum(bytes) as bigint) as bytes from deleted group by account_code
          ) as freed on freed.account_code = locked.account_code
          where idempotency_usage.account_code = locked.account_code`,
      },
      'deleted',
      one,
    ),
  }
}

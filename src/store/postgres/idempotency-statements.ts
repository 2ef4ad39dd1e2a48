import { rowBytes } from '../../domain/idempotency/idempotency.ts'

// Each statement changes what a key holds and, with it, what its account's keys hold together. It locks the key before the
// account's row of `idempotency_usage`, which every keyed request of the account wants, and takes no other lock after that one.

const isTheClaim = 'account_code = $1 and key = $2 and holder = $3'

// The key of a claim, with what it is counted for and what it holds now if its answer has so many bytes.
const countKey = (answerBytes: string) => `
  mine as (
    select held_bytes as before, ${rowBytes} + ${answerBytes} + (
      select coalesce(sum(${rowBytes} + octet_length(result)), 0) from idempotency_steps
      where account_code = $1 and key = $2
    )::bigint as after
    from idempotency_keys where ${isTheClaim} for update
  )`

/** $1 account, $2 key, $3 fingerprint, $4 holder, $5 ms to hold, $6 what stands for the answer, $7 most bytes of the account. */
export const insertKey = `
with claimed as (
  insert into idempotency_keys (account_code, key, fingerprint, holder, held_until, answer, held_bytes)
  select $1, $2, $3::bytea, $4, now() + $5::float8 * interval '1 millisecond', $6::bytea, ${rowBytes}
  where coalesce((select held_bytes from idempotency_usage where account_code = $1), 0) + ${rowBytes} <= $7::bigint
  on conflict do nothing
  returning account_code, held_bytes
), used as (
  insert into idempotency_usage (account_code, held_bytes) select account_code, held_bytes from claimed
  on conflict (account_code) do update set held_bytes = idempotency_usage.held_bytes + excluded.held_bytes
)
select 1 from claimed`

/**
 * $1 account, $2 key, $3 holder, $4 answer, $5 most bytes of the account. No row where the claim is lost, else whether it was
 * kept. The bound is compared with the usage as it is once its row is locked, so requests that end together do not pass it.
 */
export const settleKey = `
with ${countKey('octet_length($4::bytea)')}, used as (
  update idempotency_usage set held_bytes = held_bytes + mine.after - mine.before from mine
  where account_code = $1 and held_bytes + mine.after - mine.before <= $5::bigint
  returning mine.after
), settled as (
  update idempotency_keys set answer = $4::bytea, held_bytes = used.after from used where ${isTheClaim}
  returning 1
)
select exists(select 1 from settled) as is_kept from mine`

/** $1 account, $2 key, $3 holder, $4 whether any request may have the key next. Steps count from here: the next one finds them. */
export const freeKey = `
with ${countKey('0')}, freed as (
  update idempotency_keys
  set held_until = 'epoch', held_bytes = mine.after, answer = case when $4::boolean then null else answer end
  from mine where ${isTheClaim}
  returning mine.after - mine.before as added
)
update idempotency_usage set held_bytes = held_bytes + added from freed where account_code = $1`

/** $1 account, $2 key, $3 holder. A row where it was done: a key with steps stays. */
export const withdrawKey = `
with withdrawn as (
  delete from idempotency_keys where ${isTheClaim}
    and not exists (select 1 from idempotency_steps where account_code = $1 and key = $2)
  returning held_bytes
)
update idempotency_usage set held_bytes = idempotency_usage.held_bytes - withdrawn.held_bytes
from withdrawn where account_code = $1
returning 1`

/** $1 account, $2 key, $3 ms for which it is kept. A row where it was done. */
export const deleteExpiredKey = `
with expired as (
  select account_code, key from idempotency_keys
  where account_code = $1 and key = $2 and created_at <= now() - $3::float8 * interval '1 millisecond' for update
), steps as (
  delete from idempotency_steps using expired
  where idempotency_steps.account_code = expired.account_code and idempotency_steps.key = expired.key
  returning 1
), deleted as (
  delete from idempotency_keys using expired
  where idempotency_keys.account_code = expired.account_code and idempotency_keys.key = expired.key
    and (select count(*) from steps) >= 0
  returning held_bytes
)
update idempotency_usage set held_bytes = idempotency_usage.held_bytes - deleted.held_bytes
from deleted where account_code = $1
returning 1`

/** $1 age in ms, $2 most keys. A row for each. Two gateways that do it at once lock accounts in one order. */
export const forgetOldKeys = `
with old as (
  delete from idempotency_keys where (account_code, key) in (
    select account_code, key from idempotency_keys
    where created_at < now() - $1::float8 * interval '1 millisecond'
    limit $2 for update skip locked
  ) returning account_code, key, held_bytes
), steps as (
  delete from idempotency_steps using old
  where idempotency_steps.account_code = old.account_code and idempotency_steps.key = old.key
  returning 1
), freed as (
  select account_code, sum(held_bytes) as bytes from old where (select count(*) from steps) >= 0 group by account_code
), accounts as (
  select usage.account_code, freed.bytes from idempotency_usage as usage join freed using (account_code)
  order by usage.account_code for update of usage
), used as (
  update idempotency_usage set held_bytes = held_bytes - accounts.bytes
  from accounts where idempotency_usage.account_code = accounts.account_code
)
select 1 from old`

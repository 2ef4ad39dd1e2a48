import SqliteDatabase from 'better-sqlite3'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import type { RunRow } from '../../../src/domain/runs/run-store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { complete } from '../cases/complete-trigger.ts'
import { queuedRun } from '../runs/queued-run.ts'
import { by } from './origin.ts'

const odd = {
  names: [
    '',
    ' ',
    'Ann "the" O’Neill \\ \t\n',
    '山田 太郎',
    '👩‍👩‍👧‍👦 🏳️‍🌈',
    'e\u0301',
    '{"a":[null]}',
    '\\x00',
    '\u2028',
  ],
  largest: Number.MAX_SAFE_INTEGER,
}

/** The largest id there is among them, and how many rows were made of each table that holds many. */
export const filled = { memberships: 3_000, events: 4_000, largestUser: odd.largest }

/** Fills a SQLite store with some 11,000 rows: by the store itself, and past it with values that seldom come. */
export async function fillStore(path: string): Promise<void> {
  const store = await openStore({ url: `sqlite:${path}` })
  const made = await Promise.all(
    odd.names.map((displayName, index) =>
      store.users.save(by(`account-${index % 3}`), index + 1, { displayName }),
    ),
  )
  for (const { id } of made) await store.memberships.add(by('account-0'), { userId: id, teamId: odd.largest })
  await store.memberships.add(by('account-1'), { userId: odd.largest, teamId: 1 })
  await store.memberships.move(by('account-0'), 1, { teamId: 7 }, null)
  await store.memberships.remove(by('account-0'), 2, null)
  await store.teams.save(by('account-0'), 7, { name: odd.names.join('') })
  await store.users.create('account-2', { email: 'a@b', displayName: null })
  for (const [index, accountCode] of ['account-0', 'account-1', 'account-0'].entries()) {
    const sha256 = hashToken(`token-${index}`)
    await store.tokens.create({
      accountCode,
      userId: 1 + (index % 2),
      label: '🔑',
      scopes: ['admin'],
      sha256,
      expiresAt: index === 1 ? new Date('2999-01-31T00:00:00.123Z') : null,
    })
  }
  await store.tokens.noteUses('2027-01-31', [2, 3])
  const run: RunRow = {
    runId: 'r',
    trigger: 'endpoint',
    event: null,
    name: '🔑 \0',
    functionId: null,
    functionVersion: null,
    caseId: null,
    caseVersion: null,
    txnId: 'x',
    txnSource: 'y',
    parentRunId: null,
    replayOf: null,
    attempt: 1,
    queuedRunId: null,
    state: 'ended',
    outcome: 'exit',
    byUserId: 1,
    scopes: [],
    startedAt: 5,
    durationMs: 1,
    dryRun: false,
    textBytes: {},
    texts: { input: '"\\u0000"', source: '"exit(1)"', payload: '"é"' },
  }
  await store.runs.write('account-0', 'gone', { inserts: [run], ends: [] })
  await store.runs.beat('gone', 1_000)
  await store.queue.enqueue(by('account-0'), [queuedRun(), queuedRun({ caseId: null })])
  await store.tokens.revoke(3)
  const version = {
    hash: 'ff',
    sourceCode: odd.names.join(''),
    sourceBytes: 99,
    comment: '🔑',
    makeLive: true,
  }
  const limits = { functions: 10, versions: 10 }
  await store.functions.save(by('account-0'), { name: 'f', caseTypeCode: null, ...version }, limits)
  const next = { name: 'f', caseTypeCode: null, ...version, hash: 'fe' }
  await store.functions.save(by('account-0'), next, limits)
  await store.functions.save(by('account-0'), { name: 'f', caseTypeCode: 'incident', ...version }, limits)
  await store.functions.save(by('account-0'), { name: 'removed', caseTypeCode: null, ...version }, limits)
  await store.functions.remove(by('account-0'), 3)
  const trigger = { caseTypeCode: 'incident', functionId: 1, scopes: ['cases:read', 'admin'], enabled: false }
  await store.hooks.save(
    by('account-0'),
    null,
    complete({ event: 'pre-save' as const, position: -3, ...trigger }),
    10,
  )
  const task = { name: 'triage', ...trigger, enabled: true }
  await store.caseTasks.save(by('account-0'), null, complete(task), 50)
  const webhook = {
    name: 'w',
    header: null,
    headers: ['a', 'b'],
    mode: 'sync',
    verification: 'github',
  } as const
  const seal = () => ({ keyId: 'k', sealed: Buffer.from([0, 255]) })
  const rotation = { overlapMs: 60_000, seal, maxSecrets: 3 }
  const { functionId, scopes } = trigger
  const given = complete({ ...webhook, functionId, scopes, enabled: true })
  const save = { complete: given, rotation, rotates: false, checkKept: () => null, maxWebhooks: 9 }
  await store.webhooks.save(by('account-0'), null, save)
  await store.webhooks.rotate(by('account-0'), 1, rotation, () => null)
  await store.close()
  const client = new SqliteDatabase(path)
  client.exec(`
    insert into accounts (account_code, created_at) values ('Zeta', 0), ('äther', 1700000000123), ('a-b', -1);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${filled.memberships})
      insert into users (account_code, id, email, display_name, created_at)
      select 'Zeta', i, case when i % 3 then i || '@example.com' end, char(128512 + i % 80), 1700000000000 + i from n;
    insert into teams (account_code, id, created_at) values ('Zeta', 1, 1), ('Zeta', 2, 2);
    insert into team_memberships (account_code, id, user_id, team_id, leader, version, created_at)
      select account_code, 100 + id, id, 1 + id % 2, case id % 3 when 0 then null else id % 3 - 1 end, 1 + id % 5,
        id * 1000
      from users where account_code = 'Zeta';
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${filled.events})
      insert into membership_events (account_code, sequence, kind, membership_id, before_user_id, before_team_id,
        after_user_id, after_team_id, by_user_id, by_email, transaction_id, created_at)
      select 'Zeta', i, 'moved', 101, i, 1, i, 2, ${odd.largest}, null, 'té-' || i, 1700000000000 + i from n;
    insert into counters values ('Zeta', 'membership event', ${filled.events}),
      ('Zeta', 'membership', ${100 + filled.memberships + 50});
    insert into case_types values ('Zeta', 'incident', '["a"]', '["a","b"]', 7, 5);
    insert into cases (account_code, id, case_type_code, data, data_bytes, version, created_at, updated_at)
      values ('Zeta', 3, 'incident', '{"z":"\\u0000\\ud800","a":"é🔑"}', 33, 4, 8, 9);
    insert into case_values values ('Zeta', 'incident', 'a', '"é🔑"', 3);
    insert into case_leases values ('Zeta', 3, 'x', 1700000000999);
    insert into case_events values
      ('Zeta', 1, 'created', 3, 'incident', 1, '{"a":[1,null]}', null, 14, 7, 'a@b', 'f', 't', 9),
      ('Zeta', 2, 'saved', 3, 'incident', 4, null, '{"b":["\\u0000",null]}', 21, null, null, null, 't', 10);
    insert into idempotency_keys (account_code, key, fingerprint, holder, held_until, answer, created_at)
      values ('Zeta', '🔑', zeroblob(32), 'x', 1700000000999, null, 5), ('a-b', 'k', x'00ff', '', 0, x'', 6),
        ('a-b', 'K', x'', '', 0, randomblob(3000000), 7);
    insert into idempotency_usage values ('Zeta', 1024), ('a-b', ${2 ** 40});
    insert into idempotency_steps (account_code, key, number, result, created_at)
      values ('a-b', 'k', 1, '{"id":"é"}', 8);
  `)
  client.close()
}

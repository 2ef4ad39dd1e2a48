import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { scopes } from '../../src/credentials/caller.ts'
import { hashToken } from '../../src/domain/directory/api-token.ts'
import { openStore } from '../../src/store/open-store.ts'
import { runInProcess } from '../server/processes/run-in-process.ts'
import { runCommand } from '../server/processes/spawn-command.ts'
import { askPostgres } from '../store/databases/ask-postgres.ts'
import { createEmptyDatabase } from '../store/databases/create-database.ts'

let folder: string
let url: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rostrum-token-'))
  url = `sqlite:${join(folder, 'store.db')}`
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const runToken = (...args: string[]) => runInProcess('token', args, { DATABASE_URL: url })

async function findToken(token: string) {
  const store = await openStore({ url })
  try {
    return (await store.tokens.findBySha256(hashToken(token)))[0]
  } finally {
    await store.close()
  }
}

test('the command creates account and user, prints only the token, and names the store on standard error', async () => {
  const { code, stdout, stderr } = await runToken(
    ...['--account', 'beta', '--email', 'ann@example.com', '--scope', 'tasks:execute'],
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: `Store: ${url}, which is new: this command made it\n` })
  expect(stdout).toMatch(/^rst_[A-Za-z0-9_-]{43}\n$/)
  const found = await findToken(stdout.trim())
  expect(found).toMatchObject({ accountCode: 'beta', email: 'ann@example.com', scopes: ['tasks:execute'] })
  expect(found?.userId).toBeGreaterThanOrEqual(2 ** 52)
})

test('a user is found by email or id, and created if neither is given', async () => {
  const first = await findToken((await runToken('--account', 'beta', '--email', 'a@b')).stdout.trim())
  const again = await findToken(
    (await runToken('--account', 'beta', '--email', 'a@b', '--name', 'Ann')).stdout.trim(),
  )
  const byId = await findToken((await runToken('--account', 'beta', '--user', '7')).stdout.trim())
  const neither = await findToken((await runToken('--account', 'beta')).stdout.trim())
  expect(again).toMatchObject({ userId: first?.userId, displayName: 'Ann' })
  expect(byId).toMatchObject({ userId: 7, email: null })
  expect([first?.userId, 7]).not.toContain(neither?.userId)
})

test('scopes default to all but admin and metrics:read, and can be repeated or separated by commas', async () => {
  const usual = await findToken((await runToken('--account', 'beta')).stdout.trim())
  const given = await findToken(
    (
      await runToken('--account', 'beta', '--scope', 'admin, memberships:read', '--scope', 'admin')
    ).stdout.trim(),
  )
  expect(usual?.scopes).toEqual(scopes.filter(scope => scope !== 'admin' && scope !== 'metrics:read'))
  expect(given?.scopes).toEqual(['admin', 'memberships:read'])
})

test('the list shows the data of every token, never the token itself, and its state', async () => {
  const token = (await runToken('--account', 'beta', '--email', 'ann@example.com')).stdout.trim()
  await runToken('--account', 'gamma', '--user', '7', '--scope', 'admin')
  const revoked = await runToken('--revoke', '1')
  expect(revoked).toMatchObject({ code: 0, stderr: `Store: ${url}\n` })
  expect(await findToken(token)).toBeUndefined()
  const { stdout } = await runToken('--list')
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/^ID +ACCOUNT +USER +EMAIL +LABEL +SCOPES +CREATED +EXPIRES +LAST USED +STATE$/)
  expect(lines[1]).toMatch(/^1 +beta +\d+ +ann@example.com +- +\S+ +\S+Z +- +- +revoked \S+Z$/)
  expect(lines[2]).toMatch(/^2 +gamma +7 +- +- +admin +\S+Z +- +- +active$/)
  expect(stdout).not.toContain('rst_')
  expect((await runToken('--list', '--account', 'gamma')).stdout.trimEnd().split('\n')).toHaveLength(2)
})

test('the list shows control characters of an e-mail address as escapes', async () => {
  await runToken('--account', 'beta', '--email', 'ann@example.com\u001b[2K\u009b1G\u202e')
  const { stdout } = await runToken('--list')
  expect(stdout).toContain(' ann@example.com\\u001b[2K\\u009b1G\\u202e  ')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('the list shows label, expiry and the day of the last use, and says which tokens have expired', async () => {
  const about = ['--account', 'beta', '--user', '7', '--scope', 'admin', '--label', 'CI of Ann’s team']
  await runToken(...about, '--expires', '2999-01-31')
  const store = await openStore({ url })
  await store.tokens.noteUses('2026-11-20', [1])
  await store.tokens.create({
    ...{ accountCode: 'beta', userId: 7, label: null, scopes: ['admin'] },
    ...{ sha256: hashToken('one'), expiresAt: new Date('2020-01-01T00:00:00Z') },
  })
  await store.close()
  const [, first, second] = (await runToken('--list')).stdout.split('\n')
  expect(first).toMatch(
    /^1 +beta +7 +- +CI of Ann’s team +admin +\S+Z +2999-02-01T00:00:00Z +2026-11-20 +active$/,
  )
  expect(second).toMatch(/^2 +beta +7 +- +- +admin +\S+Z +2020-01-01T00:00:00Z +- +expired$/)
})

test.each([
  ['1d', () => Date.now() + 86_400_000],
  ['3650d', () => Date.now() + 3_650 * 86_400_000],
  ['2996-02-29', () => Date.parse('2996-03-01T00:00:00Z')],
  ['2999-01-31T18:30Z', () => Date.parse('2999-01-31T18:30:00Z')],
  ['2999-01-31T18:30:15.5+02:00', () => Date.parse('2999-01-31T16:30:15.500Z')],
])('`--expires %s` is the time at which the token expires', async (text, time) => {
  const earliest = time()
  const { stdout } = await runToken('--account', 'beta', '--expires', text)
  const expiresAt = (await findToken(stdout.trim()))?.expiresAt?.getTime()
  expect(expiresAt).toBeGreaterThanOrEqual(earliest)
  expect(expiresAt).toBeLessThanOrEqual(time())
})

test('the command works while a gateway serves the same file', async () => {
  const gateway = await openStore({ url, serve: true })
  const { code, stdout } = await runCommand(['token', '--account', 'beta'], { DATABASE_URL: url })
  expect(code).toBe(0)
  expect(await gateway.tokens.findBySha256(hashToken(stdout.trim()))).toHaveLength(1)
  await gateway.close()
})

test('--help prints the flags and changes nothing', async () => {
  const { code, stdout } = await runToken('--help')
  expect(code).toBe(0)
  for (const flag of ['account', 'email', 'user', 'name', 'scope', 'label', 'expires', 'list', 'revoke'])
    expect(stdout).toContain(`--${flag}`)
  expect(existsSync(join(folder, 'store.db'))).toBe(false)
})

test.each([
  [[], /--account/],
  [['--account', 'a b'], /`a b` is not an account code/],
  [['--account', '../x'], /is not an account code/],
  [['--account', 'beta', '--scope', 'all'], /`all` is not a scope.*memberships:read/],
  [['--account', 'beta', '--scope', ''], /is not a scope/],
  [['--account', 'beta', '--email', 'ann'], /`--email` must be an email address/],
  [['--account', 'beta', '--name', ''], /`--name` must have 1 to 200 characters/],
  [['--account', 'beta', '--user', '0'], /`0` is not a valid user id/],
  [['--account', 'beta', '--label', ''], /`--label` must have 1 to 100 characters/],
  [['--account', 'beta', '--label', 'x'.repeat(101)], /`--label` must have 1 to 100 characters/],
  [['--account', 'beta', '--label', 'a\u001b[31m'], /`--label` must have .* control character/],
  [['--account', 'demo', '--label', 'ROSTRUM_ADMIN_TOKEN'], /`--label` cannot be `ROSTRUM_ADMIN_TOKEN`/],
  [
    ['--account', 'beta', '--expires', '2020-01-31'],
    /`--expires` must be in the future; `2020-01-31` is past/,
  ],
  [['--account', 'beta', '--expires', '2020-01-31T10:00:00Z'], /is past/],
  [['--account', 'beta', '--expires', '0d'], /`--expires` cannot be `0d`.*`1d`.*`2027-01-31`/],
  [['--account', 'beta', '--expires', '3651d'], /`--expires` cannot be `3651d`/],
  [['--account', 'beta', '--expires', '2999-02-29'], /`--expires` cannot be `2999-02-29`/],
  [['--account', 'beta', '--expires', '2999-01-31T18:30'], /`--expires` cannot be/],
  [['--account', 'beta', '--expires', '2999-01-31T25:00Z'], /`--expires` cannot be/],
  [['--account', 'beta', '--expires', 'soon'], /`--expires` cannot be `soon`/],
  [['--list', '--label', 'x'], /`--list` and `--label`/],
  [['--account', 'beta', '--colour', 'red'], /--colour.*--help/],
  [['--account'], /--account.*--help/],
  [['beta'], /beta.*--help/],
  [['--list', '--revoke', '1'], /`--list` and `--revoke`/],
  [['--revoke', '1', '--revoke', '2'], /`--revoke` is given twice/],
  [['--revoke', 'x'], /`x` is not a valid token id/],
])('%j is refused with one line that says what to do, and creates nothing', async (args, line) => {
  const { code, stdout, stderr } = await runToken(...args)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trimEnd()).not.toContain('\n')
  expect(existsSync(join(folder, 'store.db'))).toBe(false)
})

test('an unknown token id gives one line and exit code 1, and a revoked one is revoked', async () => {
  await runToken('--account', 'beta')
  await runToken('--revoke', '1')
  expect(await runToken('--revoke', '1')).toMatchObject({
    code: 0,
    stdout: 'Token `1` was revoked before.\n',
  })
  for (const id of [['99'], ['1', '--account', 'gamma']]) {
    const { code, stderr } = await runToken('--revoke', ...id)
    expect(code).toBe(1)
    expect(stderr).toBe(
      `There is no token \`${id[0]}\` to revoke. Run \`npm run token -- --list\` to see the tokens.\n`,
    )
  }
})

test.each([[['--list']], [['--revoke', '1']]])('%j without a store is refused and makes none', async args => {
  const { code, stdout, stderr } = await runToken(...args)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/^There is no file `.*store\.db`\. Name the path of a store by DATABASE_URL\.\n$/)
  expect(existsSync(join(folder, 'store.db'))).toBe(false)
})

test.each([[['--list']], [['--revoke', '1']]])(
  '%j on an empty PostgreSQL database makes no store',
  async args => {
    url = await createEmptyDatabase()
    const { code, stdout, stderr } = await runToken(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^The database that DATABASE_URL names holds no store: .* Name one that a gateway .*\n$/,
    )
    expect(await askPostgres(url, "select from pg_tables where schemaname = 'public'")).toEqual([])
  },
)

test('a database that takes only reads is no wrong argument: exit code 1', async () => {
  url = await createEmptyDatabase()
  await runToken('--account', 'beta')
  await askPostgres(
    url,
    `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = on`,
  )
  const { code, stdout, stderr } = await runToken('--account', 'beta')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^The database only takes reads at the moment, and nothing was changed\. .*\n$/)
})

test('no store of an older version is migrated, because a gateway of that version may serve it', async () => {
  await runToken('--account', 'beta')
  const client = new SqliteDatabase(join(folder, 'store.db'))
  onTestFinished(() => void client.close())
  client.exec('delete from rostrum_migrations where rowid = (select max(rowid) from rostrum_migrations)')
  for (const flags of [['--list'], ['--account', 'beta']]) {
    const { code, stdout, stderr } = await runToken(...flags)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/ is older than this code, and this command does not migrate it\. .*\n$/)
  }
})

test('a store that cannot be opened gives one line and exit code 1', async () => {
  url = `sqlite:${folder}`
  const { code, stdout, stderr } = await runToken('--list')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`The database \`${folder}\` is a folder. Name the path of a file.\n`)
})

test('without an account, the whole command is named: npm keeps flags that are not after `--`', async () => {
  const { code, stdout, stderr } = await runToken('--scope', 'admin')
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toBe('Name the account of the token: `npm run token -- --account <code>`.\n')
})

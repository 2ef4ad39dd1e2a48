import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { runInProcess } from '../../server/processes/run-in-process.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const token = (...args: string[]) => runInProcess('token', args, server.settings)
const spawnToken = (...args: string[]) => runCommand(['token', ...args], server.settings)
const view = (credential: string) =>
  server.graphql<{ viewer: unknown }>('{ viewer { accountCode userId email scopes } }', {}, credential)

describe('making a token', () => {
  test('prints the token alone, and makes the account and the user that are missing', async () => {
    const args = ['--account', 'beta', '--email', 'ann@example.com', '--scope', 'tasks:execute']
    const made = await spawnToken(...args)
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/^\S{20,}\n$/)
    expect(made.stderr).toBe(`Store: ${server.settings.DATABASE_URL}\n`)
    expect((await view(made.stdout.trim())).body.data?.viewer).toEqual({
      accountCode: 'beta',
      userId: expect.stringMatching(/^\d+$/),
      email: 'ann@example.com',
      scopes: ['tasks:execute'],
    })
  })

  test('for the same email is another token of the same user', async () => {
    const made = [
      await token('--account', 'beta', '--email', 'bo@example.com'),
      await token('--account', 'beta', '--email', 'bo@example.com'),
    ]
    expect(made[0]?.stdout).not.toBe(made[1]?.stdout)
    const users = await Promise.all(
      made.map(async each => (await view(each.stdout.trim())).body.data?.viewer as { userId: string }),
    )
    expect(users[0]?.userId).toBe(users[1]?.userId)
  })

  test('takes several scopes', async () => {
    const made = await token(
      '--account',
      'beta',
      '--scope',
      'memberships:read',
      '--scope',
      'memberships:write',
    )
    expect(made.code).toBe(0)
    expect((await view(made.stdout.trim())).body.data?.viewer).toMatchObject({
      scopes: expect.arrayContaining(['memberships:read', 'memberships:write']),
    })
  })

  test.each([
    ['an unknown scope', ['--account', 'beta', '--scope', 'everything'], 'everything'],
    ['no account', ['--email', 'ann@example.com'], '--account'],
    ['an impossible account', ['--account', 'not an account'], 'not an account'],
    ['an unknown option', ['--acount', 'beta'], '--acount'],
  ])('with %s is one line that says so, and no token', async (_, args, named) => {
    const { code, stdout, stderr } = await token(...args)
    expect(code).toBeGreaterThan(0)
    expect(stdout).toBe('')
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain(named)
  })
})

test('a refusal is one line of the process, which ends with code 2', async () => {
  const args = ['--account', 'beta', '--scope', 'everything']
  const refused = await spawnToken(...args)
  expect(refused).toEqual(await token(...args))
  expect(refused).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(/^.*everything.*\n$/) })
})

describe('--list', () => {
  test('shows the tokens of all accounts or of one, never a token itself', async () => {
    const gamma = `${server.account}-gamma`
    const made = await token('--account', gamma, '--email', 'cy@example.com', '--scope', 'memberships:read')
    const all = await token('--list')
    const own = await token('--list', '--account', gamma)
    expect([all.code, own.code]).toEqual([0, 0])
    expect(all.stdout).toContain('demo')
    expect(own.stdout).not.toContain('demo')
    for (const list of [all, own]) {
      expect(list.stdout).toContain(gamma)
      expect(list.stdout).toContain('cy@example.com')
      expect(list.stdout).toContain('memberships:read')
      expect(list.stdout).not.toContain(made.stdout.trim())
      expect(list.stdout).not.toContain(server.adminToken)
    }
  })
})

describe('--revoke', () => {
  test('kills the token at once and shows in the list', async () => {
    const delta = `${server.account}-delta`
    const made = await token('--account', delta, '--email', 'di@example.com')
    const list = await token('--list', '--account', delta)
    const id = /^\s*(\d+)\b/m.exec(list.stdout)?.[1] ?? ''
    expect((await view(made.stdout.trim())).status).toBe(200)
    expect((await spawnToken('--revoke', id)).code).toBe(0)
    expect((await view(made.stdout.trim())).status).toBe(401)
    expect((await token('--list', '--account', delta)).stdout).toMatch(/revoked/i)
  })

  test.each(['999999', 'abc'])('of %s is one line and a code that is not 0', async id => {
    const { code, stderr } = await token('--revoke', id)
    expect(code).toBeGreaterThan(0)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain(id)
  })
})

test('npm run --silent token -- prints the token alone', async () => {
  const args = ['run', '--silent', 'token', '--', '--account', 'beta', '--user', '7']
  const npm = spawnSync('npm', args, { env: { ...process.env, ...server.settings }, encoding: 'utf8' })
  expect(npm.status).toBe(0)
  expect(npm.stdout).toMatch(/^\S{20,}\n$/)
  expect((await view(npm.stdout.trim())).body.data?.viewer).toMatchObject({
    accountCode: 'beta',
    userId: '7',
  })
})

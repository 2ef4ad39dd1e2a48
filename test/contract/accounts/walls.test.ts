import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, passIds } from '../../server/clients/memberships.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import type { MembershipRow } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { writeRows } from '../../store/databases/write-rows.ts'
import { casePath, type Ids, membershipPath, operations } from './wall-operations.ts'

// No account has it, and it has as little to say as any id that does not exist.
const unknownId = 77_777_777

let server: SharedServer
// These have the names of accounts in titles as keys. `codeOf` gives the code of the account.
const tokens: Record<string, string> = {}
const rows: Record<string, MembershipRow> = {}
const cases: Record<string, number> = {}
const triggers: Record<string, Pick<Ids, 'function' | 'hook' | 'task' | 'webhook'>> = {}

beforeAll(async () => {
  server = await shareServer()
  for (const [index, account] of ['alpha', 'beta'].entries()) {
    const token = await server.token({ account: codeOf(account), email: `ann@${account}.example` })
    tokens[account] = token
    // Ids of three digits, which no other number of an answer can be mistaken for.
    await passIds(server, 110 + 50 * index, token)
    const own = { user_id: 4_100 + index, team_id: 5_100 + index }
    rows[account] = await addMembership(server, own, token)
    cases[account] = await createCases(token, 130 + 50 * index)
    triggers[account] = await createTriggers(account, token, 310 + 100 * index)
    await server.rest('PUT', `/platform/users/${own.user_id}`, {
      body: { user: { email: `secret@${account}.example`, display_name: `Secret of ${account}` } },
      token,
    })
    await server.rest('PUT', `/platform/teams/${own.team_id}`, { body: { team: { name: account } }, token })
  }
  // Ids are counted in each account: this one would be of both.
  const { status } = await server.rest('DELETE', membershipPath(idsOf('alpha')), { token: tokens.beta ?? '' })
  expect(status).toBe(204)
  const removed = await server.rest('DELETE', casePath(idsOf('alpha')), { token: tokens.beta ?? '' })
  expect(removed.status).toBe(204)
})

// Without the number of the file's own account, which `mask` could take for an id.
function codeOf(account: string): string {
  return `walls-${account}`
}

// Gives the last id, one that no other number of an answer can be mistaken for.
async function createCases(token: string, count: number): Promise<number> {
  const body = { case: { case_type_code: 'incident', data: { secret: 'of one account' } } }
  let last = 0
  for (let made = 0; made < count; made++) {
    const answer = await server.rest<{ case: { id: number } }>('POST', '/platform/cases', { body, token })
    last = answer.body.case.id
  }
  return last
}

// The store gives out the numbers that follow these, which the other account does not have.
async function createTriggers(account: string, token: string, from: number) {
  const code = codeOf(account)
  await writeRows(
    server.settings.DATABASE_URL,
    `insert into counters (account_code, name, value) values
      ('${code}', 'function', ${from}), ('${code}', 'hook', ${from + 10}),
      ('${code}', 'case task', ${from + 20}), ('${code}', 'webhook', ${from + 30})`,
  )
  const mutate = async (field: string, selection = '{ id }') => {
    const { body } = await server.graphql<{ row: { id: string } & { webhook?: { id: string } } }>(
      `mutation { row: ${field} ${selection} }`,
      {},
      token,
    )
    return Number(body.data?.row.webhook?.id ?? body.data?.row.id)
  }
  const name = `secret-of-${account}`
  const id = await mutate(`saveFunction(input: {name: "${name}", sourceCode: "exit(1)"})`)
  const ofFunction = `caseTypeCode: "${name}", functionId: "${id}"`
  return {
    function: id,
    hook: await mutate(`saveHook(input: {event: POST_SAVE, enabled: false, ${ofFunction}})`),
    task: await mutate(`saveCaseTask(input: {name: "triage", ${ofFunction}})`),
    webhook: await mutate(
      `saveWebhook(input: {name: "${name}", functionId: "${id}", verification: STANDARD})`,
      '{ webhook { id } }',
    ),
  }
}

// What is left when the id itself, wherever a message repeats it, is masked.
function mask(answer: Answer, ids: Ids): Record<string, unknown> {
  const known = new RegExp(`\\b(${Object.values(ids).join('|')})\\b`, 'g')
  const headers = ['content-type', 'etag', 'location', 'retry-after', 'allow']
  return {
    status: answer.status,
    body: answer.text.replace(known, '<id>'),
    headers: headers.map(name => answer.headers.get(name)),
  }
}

function idsOf(account: string): Ids {
  const row = rows[account]
  if (row === undefined) throw new Error(`${account} has no row`)
  const ofTriggers = triggers[account] ?? { function: 0, hook: 0, task: 0, webhook: 0 }
  return {
    membership: row.id,
    user: row.user_id,
    team: row.team_id,
    case: cases[account] ?? 0,
    ...ofTriggers,
  }
}

describe.each([
  ['alpha', 'beta'],
  ['beta', 'alpha'],
])('to %s, an id of %s', (caller, owner) => {
  const token = () => tokens[caller] ?? ''

  // Everything the owner can see of its own, with versions.
  async function readOwn(): Promise<string[]> {
    const ids = idsOf(owner)
    const paths = [
      membershipPath(ids),
      casePath(ids),
      `/platform/users/${ids.user}`,
      `/platform/teams/${ids.team}`,
    ]
    const answers = await Promise.all(
      paths.map(path => server.rest('GET', path, { token: tokens[owner] ?? '' })),
    )
    const own = '{ hooks { id function { id name } } caseTasks { id function { id } } webhooks { id name } }'
    answers.push(await server.graphql(own, {}, tokens[owner] ?? ''))
    return answers.map(answer => `${answer.status} ${answer.headers.get('etag')} ${answer.text}`)
  }

  test.each(operations)('is an unknown id, byte for byte: %s', async (_, operation) => {
    const before = await readOwn()
    const names = ['membership', 'user', 'team', 'case', 'function', 'hook', 'task', 'webhook'] as const
    const unknown = Object.fromEntries(names.map(name => [name, unknownId])) as unknown as Ids
    const expected = mask(await operation(server, unknown, token()), unknown)
    const ids = idsOf(owner)
    expect(mask(await operation(server, ids, token()), ids)).toEqual(expected)
    expect(await readOwn()).toEqual(before)
    expect(before[0]).toMatch(/^200 /)
  })

  test('may be saved and joined as its own, without touching the other', async () => {
    const before = await readOwn()
    const ids = idsOf(owner)
    const joined = await addMembership(server, { user_id: ids.user, team_id: ids.team }, token())
    expect(joined.id).not.toBe(ids.membership)
    const saved = await server.rest('PUT', `/platform/users/${ids.user}`, {
      body: { user: { display_name: 'Mine' } },
      token: token(),
    })
    expect(saved.body).toEqual({ user: { id: ids.user, email: null, display_name: 'Mine' } })
    expect((await server.rest('GET', `/platform/teams/${ids.team}`, { token: token() })).body).toEqual({
      team: { id: ids.team, name: null },
    })
    expect(await readOwn()).toEqual(before)
  })

  test('stays out of reach whatever the input claims about the caller', async () => {
    const answer = await server.execute(
      {
        sourceCode: `options.current_user.account_code = '${codeOf(owner)}'
          options.authorization = 'Bearer ${tokens[owner]}'
          const { data } = await graphql(
            '{ viewer { accountCode } teamMembership(id: "${idsOf(owner).membership}") { id } }')
          exit([data, Platform.accountCode])`,
        options: {
          current_user: { id: 1, account_code: codeOf(owner) },
          authorization: `Bearer ${tokens[owner]}`,
        },
        metadata: { account_nickname: codeOf(owner) },
      },
      { token: token() },
    )
    expect(answer.body.task_execution.payload).toEqual([
      { viewer: { accountCode: codeOf(caller) }, teamMembership: null },
      codeOf(caller),
    ])
  })
})

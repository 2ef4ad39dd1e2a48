import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function run<P = unknown>(sourceCode: string, inputDocument: unknown = {}, token = server.adminToken) {
  return (await server.execute<P>({ sourceCode, inputDocument }, { token })).body.task_execution
}

// The message of a rejection, for scripts that expect one.
const caught = (call: string) =>
  `exit(await ${call}.then(() => 'resolved', error => [error instanceof Error, error.message]))`

describe('Platform.teamMemberships', () => {
  test('add, get, list, move and remove speak as the REST side does', async () => {
    const [user_id, team_id, other] = [freshId(), freshId(), freshId()]
    const sourceCode = `const { teamMemberships } = Platform
      const added = await teamMemberships.add({ user_id: payload.user_id, team_id: payload.team_id })
      const got = await teamMemberships.get(added.id)
      const moved = await teamMemberships.move(added.id, { team_id: payload.other })
      const listed = await teamMemberships.list([added.id, 99999999, added.id])
      const removed = await teamMemberships.remove(added.id)
      exit({ added, got, moved, listed, gone: await teamMemberships.list([added.id]) })`
    const { payload, error } = await run<Record<string, { id: number }>>(sourceCode, {
      user_id,
      team_id,
      other,
    })
    expect(error).toBeNull()
    const id = payload.added?.id
    expect(Number.isSafeInteger(id)).toBe(true)
    const row = { id, user_id, team_id, leader: null }
    const moved = { ...row, team_id: other }
    expect(payload).toEqual({ added: row, got: row, moved, listed: [moved], gone: [] })
  })

  test('changes what the REST side sees', async () => {
    const before = await addMembership(server)
    const team = freshId()
    await run('await Platform.teamMemberships.move(payload.id, { team_id: payload.team }); exit(1)', {
      id: before.id,
      team,
    })
    expect(await listMemberships(server, [before.id])).toEqual([{ ...before, team_id: team }])
    await run('await Platform.teamMemberships.remove(payload.id); exit(1)', { id: before.id })
    expect(await listMemberships(server, [before.id])).toEqual([])
  })

  test('get of an unknown id does not give a membership', async () => {
    const sourceCode =
      'exit(await Platform.teamMemberships.get(99999999).then(value => value ?? null, error => error.message))'
    const { payload } = await run(sourceCode)
    expect(payload === null || /99999999/.test(String(payload))).toBe(true)
  })

  test.each([
    ['move of an unknown id', 'Platform.teamMemberships.move(99999999, { team_id: 1 })', /99999999/],
    ['remove of an unknown id', 'Platform.teamMemberships.remove(99999999)', /99999999/],
    ['add without a team', 'Platform.teamMemberships.add({ user_id: 1 })', /team_?id/i],
    ['add of an impossible id', 'Platform.teamMemberships.add({ user_id: -1, team_id: 1 })', /-1/],
    ['move with neither field', 'Platform.teamMemberships.move(1, {})', /user|team/i],
    ['get of an impossible id', 'Platform.teamMemberships.get("abc")', /abc/],
    [
      'list of more than 1,000 ids',
      'Platform.teamMemberships.list(Array.from({ length: 1001 }, (_, i) => i + 1))',
      /1,?000/,
    ],
  ])('%s rejects with an Error that says why', async (_, call, message) => {
    const { payload } = await run(caught(call))
    expect(payload).toEqual([true, expect.stringMatching(message)])
  })

  test('a refusal by a bound has the code and the message of the REST side', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => index + 1)
    const query = ids.map(id => `ids[]=${id}`).join('&')
    const { body } = await server.rest<ProblemBody>('GET', `/platform/cases?${query}`)
    const { payload } = await run(
      'exit(await Platform.cases.list(payload).catch(({ code, message }) => [code, message]))',
      ids,
    )
    expect(payload).toEqual(['BAD_USER_INPUT', body.detail])
    const { error } = await run('await Platform.cases.list(payload)', ids)
    expect(error).toMatchObject({
      code: 'RUNTIME',
      hint: expect.stringContaining('was refused: a request can'),
    })
  })

  test('add of a pair that exists rejects and names its id', async () => {
    const row = await addMembership(server)
    const { payload } = await run(caught('Platform.teamMemberships.add(payload)'), row)
    expect(payload).toEqual([true, expect.stringMatching(new RegExp(`\\b${row.id}\\b`))])
  })
})

describe('Platform.users and Platform.teams', () => {
  test('get gives the details of the REST side', async () => {
    const row = await addMembership(server)
    await server.rest('PUT', `/platform/users/${row.user_id}`, { body: { user: { email: 'a@b.example' } } })
    const sourceCode =
      'exit([await Platform.users.get(payload.user_id), await Platform.teams.get(payload.team_id)])'
    const { payload } = await run(sourceCode, row)
    expect(payload).toEqual([
      { id: row.user_id, email: 'a@b.example', display_name: null },
      { id: row.team_id, name: null },
    ])
  })
})

describe('Platform.tasks', () => {
  test('execute runs another script and gives its execution, whatever its outcome', async () => {
    const sourceCode = `const run = sourceCode => Platform.tasks.execute({ name: 'inner', sourceCode,
        inputDocument: JSON.stringify({ n: 5 }), options: '{}', metadata: { case_type_code: 'incident' } })
      const [done, failed, broken] = [await run('log("in"); exit(payload.n * 2)'),
        await run('fail("no")'), await run('null.x')]
      exit({ done, failed, broken })`
    const { payload, error } = await run<Record<string, Record<string, unknown>>>(sourceCode)
    expect(error).toBeNull()
    expect(payload.done).toMatchObject({
      name: 'inner',
      outcome: 'exit',
      payload: 10,
      logs: [{ level: 'info', data: ['in'] }],
    })
    expect(payload.done).toHaveProperty('request_context.txnID')
    expect(payload.done).toHaveProperty('duration_ms')
    expect(payload.failed).toMatchObject({ outcome: 'fail', message: 'no' })
    expect(payload.broken).toMatchObject({ outcome: 'error', error: { code: 'RUNTIME' } })
  })

  test('execute takes inputDocument and options as JSON values', async () => {
    const sourceCode = `const inner = await Platform.tasks.execute({ name: 'inner',
      sourceCode: 'exit([payload, options.params])',
        inputDocument: { a: [1] }, options: { params: { p: 1 } } })
      exit(inner.payload)`
    expect((await run(sourceCode)).payload).toEqual([{ a: [1] }, { p: 1 }])
  })
})

describe('Platform', () => {
  test('knows the account of the caller', async () => {
    expect((await run('exit(Platform.accountCode)')).payload).toBe(server.account)
    const token = await server.token({ account: 'beta', user: 1 })
    expect((await run('exit(Platform.accountCode)', {}, token)).payload).toBe('beta')
  })

  test('has exactly the objects of the contract', async () => {
    const sourceCode = `const shape = value => Object(value) === value && typeof value !== 'function'
        ? Object.fromEntries(Object.keys(value).sort().map(key => [key, shape(value[key])])) : typeof value
      exit(shape(Platform))`
    expect((await run(sourceCode)).payload).toEqual({
      accountCode: 'string',
      cases: {
        delete: 'function',
        find: 'function',
        get: 'function',
        list: 'function',
        runTask: 'function',
        save: 'function',
      },
      functions: { run: 'function' },
      tasks: { execute: 'function' },
      teamMemberships: {
        add: 'function',
        get: 'function',
        list: 'function',
        move: 'function',
        remove: 'function',
      },
      teams: { get: 'function' },
      users: { get: 'function' },
    })
  })
})

describe('a member that a method does not take', () => {
  const created = "await Platform.cases.save({ case_type_code: 'misspelt', data: { a: 1 } })"

  test.each([
    ['cases.save({ id, data: { b: 2 }, mrge: true })', 'cases.save', 'mrge'],
    ['cases.save({ id, data: { b: 2 }, if_verson: 9 })', 'cases.save', 'if_verson'],
    ['cases.save({ id, data: { b: 2 }, version: 9 })', 'cases.save', 'version'],
    ['cases.delete(id, { if_verson: 9 })', 'cases.delete', 'if_verson'],
    ['teamMemberships.move(1, { user_id: 2, teem_id: 3 })', 'teamMemberships.move', 'teem_id'],
    [
      'tasks.execute({ name: "a", sourceCode: "exit(1)", inputDocument: 1, metadata: { case_type: "x" } })',
      'tasks.execute',
      'metadata[case_type]',
    ],
    ['functions.run("none", {}, { name: "a" })', 'functions.run', 'name'],
    ['cases.find({ case_type: "misspelt" })', 'cases.find', 'case_type'],
    ['functions.run("none", {}, { case_type: "misspelt" })', 'functions.run', 'case_type'],
    [
      'tasks.execute({ name: "a", sourceCode: "exit(1)", inputDocument: 1, option: {} })',
      'tasks.execute',
      'option',
    ],
  ])('is refused, and nothing is done: %s', async (call, method, name) => {
    const { payload, error } = await run<{ refusal: string[]; data: unknown; runs: number }>(
      `const { id } = ${created}
      const refusal = await Platform.${call}.then(() => ['done'], ({ code, message, stack }) => [code, message, stack])
      exit({ refusal, data: (await Platform.cases.get(id)).data })`,
    )
    expect(error).toBeNull()
    const said = `\`Platform.${method}\` takes no \`${name}\`; it takes \``
    expect(payload.refusal.slice(0, 2)).toEqual(['BAD_USER_INPUT', expect.stringContaining(said)])
    expect(payload.refusal[2]).toMatch(/:2:/)
    expect(payload.data).toEqual({ a: 1 })
  })

  test('is left out if the script passes its own options or a membership on, and known ones are taken', async () => {
    const user = freshId()
    const { payload, error } = await run(
      `const added = await Platform.teamMemberships.add({ user_id: payload, team_id: 1 })
      const moved = await Platform.teamMemberships.move(added.id, { ...added, team_id: 2 })
      const missing = await Platform.functions.run('none', {}, options).catch(({ code }) => code)
      const labels = { 'metadata[case_type_code]': 'x', metadata: { account_nickname: 'y' } }
      const ran = await Platform.tasks.execute({ name: 'a', sourceCode: 'exit(1)', inputDocument: 1, ...labels })
      const { cases } = await Platform.cases.find({ first: 1, after: null, case_type: undefined })
      exit([moved.team_id, missing, ran.payload, cases.length])`,
      user,
    )
    expect(error).toBeNull()
    expect(payload).toEqual([2, 'NOT_FOUND', 1, 1])
  })

  test('is left out if a record has it, and of a changed `Object.prototype`', async () => {
    const { payload, error } = await run<{ data: unknown }>(
      `const found = ${created}
      Object.prototype.mrge = true
      exit(await Platform.cases.save({ ...found, data: { b: 2 }, if_version: found.version }))`,
    )
    expect(error).toBeNull()
    expect(payload.data).toEqual({ b: 2 })
  })

  test('as many and as long as a script likes are one short error', async () => {
    const { payload } = await run<string>(
      `const names = Array.from({ length: 10_000 }, (_, i) => 'x'.repeat(i < 1 ? 5_000 : 200) + i)
      const many = Object.fromEntries(names.map(name => [name, 1]))
      exit(await Platform.cases.find(many).then(() => '', error => error.message))`,
    )
    expect(payload.length).toBeLessThan(300)
  })
})

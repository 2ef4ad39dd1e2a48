import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
let functionId: string
beforeAll(async () => {
  server = await shareServer()
  functionId = await saveFunction('check')
})

async function saveFunction(name: string, token?: string): Promise<string> {
  const { body, text } = await server.graphql<{ saveFunction: { id: string } | null }>(
    'mutation($name: String!) { saveFunction(input: {name: $name, sourceCode: "exit(payload)"}) { id } }',
    { name },
    token,
  )
  if (body.data?.saveFunction == null) throw new Error(text)
  return body.data.saveFunction.id
}

interface Trigger {
  readonly id: string
  readonly caseTypeCode: string
  readonly name: string
}

const savingHook = `mutation($input: SaveHookInput!) { saveHook(input: $input) {
  id caseTypeCode event function { id name } position scopes enabled } }`
const savingTask = `mutation($input: SaveCaseTaskInput!) { saveCaseTask(input: $input) {
  id caseTypeCode name function { id name } scopes enabled } }`

const saveHook = (input: Record<string, unknown>, token?: string) =>
  server.graphql<{ saveHook: Trigger | null }>(
    savingHook,
    { input: { event: 'PRE_SAVE', functionId, ...input } },
    token,
  )
const saveTask = (input: Record<string, unknown>, token?: string) =>
  server.graphql<{ saveCaseTask: Trigger | null }>(savingTask, { input: { functionId, ...input } }, token)

async function savedHook(input: Record<string, unknown>, token?: string): Promise<Trigger> {
  const { body, text } = await saveHook(input, token)
  if (body.data?.saveHook == null) throw new Error(text)
  return body.data.saveHook
}

async function savedTask(input: Record<string, unknown>, token?: string): Promise<Trigger> {
  const { body, text } = await saveTask(input, token)
  if (body.data?.saveCaseTask == null) throw new Error(text)
  return body.data.saveCaseTask
}

interface Lists {
  readonly hooks: readonly Trigger[]
  readonly caseTasks: readonly Trigger[]
}

async function lists(caseTypeCode: string | null, token?: string): Promise<Lists> {
  const { body, text } = await server.graphql<Lists>(
    `query($code: String) {
      hooks(caseTypeCode: $code) { id caseTypeCode function { live { hash } } }
      caseTasks(caseTypeCode: $code) { id name caseTypeCode function { name } } }`,
    { code: caseTypeCode },
    token,
  )
  if (body.data === undefined || body.errors !== undefined) throw new Error(text)
  return body.data as Lists
}

const idsOf = (triggers: readonly Trigger[]) => triggers.map(({ id }) => id)

describe('a hook', () => {
  test('is saved with its defaults, changed in every value, and removed', async () => {
    const { id } = await savedHook({ caseTypeCode: 'basic' })
    expect((await saveHook({ id, caseTypeCode: 'basic' })).body.data?.saveHook).toEqual({
      id,
      caseTypeCode: 'basic',
      event: 'PRE_SAVE',
      function: { id: functionId, name: 'check' },
      position: 0,
      scopes: [],
      enabled: true,
    })
    const rest = { event: 'POST_DELETE', position: -7, scopes: ['cases:read', 'admin'], enabled: false }
    expect((await saveHook({ id, caseTypeCode: 'moved', ...rest })).body.data?.saveHook).toEqual({
      id,
      caseTypeCode: 'moved',
      function: { id: functionId, name: 'check' },
      ...rest,
    })
    expect([await lists('basic'), idsOf((await lists('moved')).hooks)]).toEqual([
      { hooks: [], caseTasks: [] },
      [id],
    ])
    const removing = 'mutation($id: ID!) { removeHook(id: $id) { id event function { name } } }'
    expect((await server.graphql(removing, { id })).body.data).toEqual({
      removeHook: { id, event: 'POST_DELETE', function: { name: 'check' } },
    })
    expect((await server.graphql(removing, { id })).body.errors?.[0]).toMatchObject({
      message: `There is no hook \`${id}\`.`,
      extensions: { code: 'NOT_FOUND' },
    })
    expect((await saveHook({ id, caseTypeCode: 'basic' })).body.errors?.[0]).toMatchObject({
      message: `There is no hook \`${id}\`.`,
      extensions: { code: 'NOT_FOUND' },
    })
  })

  test('is listed by position, then id, of a case type or of all', async () => {
    const token = await server.token({ account: `${server.account}-lists`, scopes: ['admin'] })
    const id = await saveFunction('check', token)
    const saved: string[] = []
    for (const position of [2, 1, 1]) {
      saved.push((await savedHook({ caseTypeCode: 'a', functionId: id, position }, token)).id)
    }
    const other = await savedHook({ caseTypeCode: 'b', functionId: id, position: 1 }, token)
    const [first, second, third] = saved
    expect(idsOf((await lists('a', token)).hooks)).toEqual([second, third, first])
    expect(idsOf((await lists(null, token)).hooks)).toEqual([second, third, other.id, first])
  })

  test('may name a function twice; a type and event have ten hooks at most, disabled ones included', async () => {
    const caseTypeCode = 'full'
    for (let count = 0; count < 10; count++) await savedHook({ caseTypeCode, enabled: count < 5 })
    expect((await saveHook({ caseTypeCode })).body.errors?.[0]).toMatchObject({
      message:
        'The case type `full` has `10` hooks of the event `pre-save`, disabled ones included, the maximum. ' +
        'Remove one that is not needed.',
      extensions: { code: 'CONFLICT', reason: 'LIMIT' },
    })
    await savedHook({ caseTypeCode, event: 'POST_SAVE' })
  })
})

describe('a case task', () => {
  test('is saved with its defaults, changed in every value, and removed', async () => {
    const { id } = await savedTask({ caseTypeCode: 'basic', name: 'triage' })
    const rest = { caseTypeCode: 'moved', name: 'sort', scopes: ['cases:write'], enabled: false }
    expect((await saveTask({ id, ...rest })).body.data?.saveCaseTask).toEqual({
      id,
      function: { id: functionId, name: 'check' },
      ...rest,
    })
    expect(idsOf((await lists('moved')).caseTasks)).toEqual([id])
    const removing = 'mutation($id: ID!) { removeCaseTask(id: $id) { id name function { name } } }'
    expect((await server.graphql(removing, { id })).body.data).toEqual({
      removeCaseTask: { id, name: 'sort', function: { name: 'check' } },
    })
    for (const { body } of [await server.graphql(removing, { id }), await saveTask({ id, ...rest })]) {
      expect(body.errors?.[0]).toMatchObject({
        message: `There is no case task \`${id}\`.`,
        extensions: { code: 'NOT_FOUND' },
      })
    }
  })

  test('has a name of its own in its case type', async () => {
    const { id } = await savedTask({ caseTypeCode: 'names', name: 'triage' })
    const other = await savedTask({ caseTypeCode: 'names', name: 'sort' })
    for (const extra of [{}, { id: other.id }]) {
      const { body } = await saveTask({ caseTypeCode: 'names', name: 'triage', ...extra })
      expect(body.errors?.[0]?.extensions).toMatchObject({
        code: 'CONFLICT',
        reason: 'NAME_TAKEN',
        existingId: Number(id),
      })
      expect(body.errors?.[0]?.message).toContain('`triage`')
    }
    await savedTask({ caseTypeCode: 'names', name: 'Triage' })
    await savedTask({ caseTypeCode: 'other-names', name: 'triage' })
  })

  test('is one of at most fifty of its type', async () => {
    for (let count = 0; count < 50; count++) await savedTask({ caseTypeCode: 'full', name: `t${count}` })
    expect((await saveTask({ caseTypeCode: 'full', name: 'one-more' })).body.errors?.[0]).toMatchObject({
      message: 'The case type `full` has `50` tasks, the maximum. Remove one that is not needed.',
      extensions: { code: 'CONFLICT', reason: 'LIMIT' },
    })
  })
})

describe('a change', () => {
  const change = async (field: string, type: string, input: object, token?: string) => {
    const { body } = await server.graphql<Record<string, Record<string, unknown>>>(
      `mutation($input: ${type}!) { saved: ${field}(input: $input) {
        id caseTypeCode scopes enabled function { name } } }`,
      { input },
      token,
    )
    return { saved: body.data?.saved, error: body.errors?.[0] }
  }
  const changeHook = (input: object, token?: string) => change('saveHook', 'SaveHookInput', input, token)
  const changeTask = (input: object) => change('saveCaseTask', 'SaveCaseTaskInput', input)

  test('keeps what it leaves out', async () => {
    const given = { scopes: ['cases:read'], enabled: false }
    const hook = await savedHook({ caseTypeCode: 'kept', event: 'POST_SAVE', position: 4, ...given })
    const task = await savedTask({ caseTypeCode: 'kept', name: 'kept', ...given })
    const kept = { caseTypeCode: 'kept', ...given, function: { name: 'check' } }
    expect((await changeHook({ id: hook.id, enabled: true })).saved).toEqual({
      ...kept,
      id: hook.id,
      enabled: true,
    })
    expect((await changeTask({ id: task.id, scopes: [] })).saved).toEqual({
      ...kept,
      id: task.id,
      scopes: [],
    })
    const { body } = await server.graphql('{ hooks(caseTypeCode: "kept") { event position enabled } }')
    expect(body.data).toEqual({ hooks: [{ event: 'POST_SAVE', position: 4, enabled: true }] })
  })

  test('takes a null for no value', async () => {
    const hook = await savedHook({ caseTypeCode: 'null' })
    const task = await savedTask({ caseTypeCode: 'null', name: 'null' })
    const names = ['caseTypeCode', 'event', 'functionId', 'functionName', 'position', 'scopes', 'enabled']
    for (const name of names) {
      expect((await changeHook({ id: hook.id, [name]: null })).error, name).toMatchObject({
        message: `\`${name}\` must not be null; leave it out to keep it.`,
        extensions: { code: 'BAD_USER_INPUT' },
      })
    }
    expect((await changeTask({ id: task.id, name: null, enabled: null })).error?.message).toMatch(
      /`name` must not be null.*`enabled` must not be null/,
    )
    expect((await changeHook({ event: null, caseTypeCode: 'null' })).error?.message).toMatch(
      /`event` must not be null: a new hook needs it; `functionId` is required for a new hook, unless you give/,
    )
    const given = { caseTypeCode: 'null', event: 'PRE_SAVE', functionId }
    expect((await changeHook({ ...given, position: null })).error?.message).toBe(
      '`position` must not be null; leave it out to have the default.',
    )
    expect((await changeHook({ ...given, functionId: null })).error?.message).toBe(
      '`functionId` must not be null: a new trigger needs a function.',
    )
  })

  test('that leaves everything out of a new one says what it needs', async () => {
    expect((await changeHook({})).error?.message).toBe(
      '`caseTypeCode` is required for a new hook; `event` is required for a new hook; ' +
        '`functionId` is required for a new hook, unless you give `functionName`.',
    )
    expect((await changeTask({ name: 'x' })).error?.extensions.code).toBe('BAD_USER_INPUT')
  })

  test('names the function: that of the case type first, then the one of all', async () => {
    await saveFunction('named')
    const saving = `mutation($code: String) {
      saveFunction(input: {name: "named", caseTypeCode: $code, sourceCode: "exit(3)"}) { id } }`
    const { body } = await server.graphql<{ saveFunction: { id: string } }>(saving, { code: 'special' })
    const ofType = body.data?.saveFunction.id
    const query = '{ hooks(caseTypeCode: "special") { function { id } } }'
    const { saved } = await changeHook({ caseTypeCode: 'plain', event: 'PRE_SAVE', functionName: 'named' })
    expect(saved?.function).toEqual({ name: 'named' })
    await changeHook({ id: saved?.id, caseTypeCode: 'special' })
    expect((await server.graphql(query)).body.data).not.toEqual({ hooks: [{ function: { id: ofType } }] })
    await changeHook({ id: saved?.id, functionName: 'named' })
    expect((await server.graphql(query)).body.data).toEqual({ hooks: [{ function: { id: ofType } }] })
    for (const name of ['no-such', 'a\0b', '']) {
      expect((await changeHook({ id: saved?.id, functionName: name })).error?.extensions.code).toBe(
        'NOT_FOUND',
      )
    }
    expect((await changeHook({ id: saved?.id, functionId, functionName: 'named' })).error).toMatchObject({
      message: expect.stringContaining('`functionName` must not stand beside `functionId`'),
      extensions: { code: 'BAD_USER_INPUT' },
    })
  })

  test('needs each scope that the trigger keeps', async () => {
    const hook = await savedHook({ caseTypeCode: 'strong', scopes: ['memberships:write'] })
    const token = await server.token({
      account: server.account,
      user: 5,
      scopes: ['functions:write', 'functions:read'],
    })
    expect((await changeHook({ id: hook.id, functionName: 'check' }, token)).error).toMatchObject({
      extensions: { code: 'FORBIDDEN', scope: 'memberships:write' },
    })
    expect((await changeHook({ id: hook.id, scopes: [] }, token)).saved).toMatchObject({ scopes: [] })
  })

  test('at once with another one keeps both', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await savedHook({ caseTypeCode: `both-${round}` })
      await Promise.all([changeHook({ id, enabled: false }), changeHook({ id, scopes: ['cases:read'] })])
      expect((await changeHook({ id })).saved).toMatchObject({ enabled: false, scopes: ['cases:read'] })
    }
  })
})

describe('what is refused is not saved', () => {
  const longest = 'x'.repeat(64)

  test.each([
    ['a case type code', { caseTypeCode: 'no code' }, 'caseTypeCode'],
    ['a long case type code', { caseTypeCode: `${longest}x` }, 'caseTypeCode'],
    ['a case type code with NUL', { caseTypeCode: 'a\0' }, 'caseTypeCode'],
    ['half a surrogate pair', { caseTypeCode: '\ud800' }, 'caseTypeCode'],
    ['a task name', { name: '.hidden' }, 'name'],
    ['a long task name', { name: `${longest}x` }, 'name'],
    ['no task name', { name: '' }, 'name'],
    ['a scope', { scopes: ['cases:read', 'cases:all'] }, 'scopes/1'],
    ['a property of objects as a scope', { scopes: ['__proto__', 'constructor'] }, 'scopes/0'],
  ])('%s that is none', async (_, bad, pointer) => {
    const input = { caseTypeCode: 'refused', name: 'refused', ...bad }
    const { name, ...ofHook } = input
    const answers = [await saveTask(input), ...('name' in bad ? [] : [await saveHook(ofHook)])]
    for (const { body } of answers) {
      expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
      expect(body.errors?.[0]?.message).toContain(`\`${pointer}\``)
    }
    expect(await lists('refused')).toEqual({ hooks: [], caseTasks: [] })
  })

  test.each(['0', '-1', '1.5', 'x', '9007199254740992'])('the id `%s`', async bad => {
    const { body } = await saveHook({ caseTypeCode: 'refused', functionId: bad })
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringContaining('is not a valid function id'),
      extensions: { code: 'BAD_USER_INPUT' },
    })
    expect(
      (await saveTask({ id: bad, caseTypeCode: 'refused', name: 'x' })).body.errors?.[0]?.message,
    ).toContain('is not a valid case task id')
  })

  test('a function that does not exist', async () => {
    const given = { caseTypeCode: 'refused', functionId: '77777777' }
    for (const { body } of [await saveHook(given), await saveTask({ ...given, name: 'x' })]) {
      expect(body.errors?.[0]).toMatchObject({
        message: 'There is no function `77777777`.',
        extensions: { code: 'NOT_FOUND' },
      })
    }
  })

  test('a name that only a function of another case type has', async () => {
    const { body } = await saveHook({
      caseTypeCode: 'refused',
      functionId: undefined,
      functionName: 'elsewhere',
    })
    expect(body.errors?.[0]).toMatchObject({
      message: 'There is no function `elsewhere` of case type `refused`, nor one of all case types.',
      extensions: { code: 'NOT_FOUND' },
    })
  })

  test('the longest names are saved', async () => {
    await savedTask({ caseTypeCode: longest, name: longest })
    await savedHook({ caseTypeCode: longest })
  })

  test('a bad code of a list names the pointer', async () => {
    const { body } = await server.graphql('{ hooks(caseTypeCode: "no code") { id } }')
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })

  test('lists are of one function, if its id is given', async () => {
    const [one, two] = [await saveFunction('listed-1'), await saveFunction('listed-2')]
    const hook = await savedHook({ caseTypeCode: 'listed', functionId: one })
    await savedHook({ caseTypeCode: 'listed', functionId: two })
    const task = await savedTask({ caseTypeCode: 'listed', functionId: one, name: 'triage' })
    await savedTask({ caseTypeCode: 'listed', functionId: two, name: 'other' })
    const list = 'query($id: ID) { hooks(functionId: $id) { id } caseTasks(functionId: $id) { id } }'
    const listed = async (id: string | null) => (await server.graphql(list, { id })).body
    expect((await listed(one)).data).toEqual({ hooks: [{ id: hook.id }], caseTasks: [{ id: task.id }] })
    expect((await listed('999999')).data).toEqual({ hooks: [], caseTasks: [] })
    expect((await listed('x')).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })
})

describe('a function that triggers use', () => {
  test('cannot be removed, and they are named', async () => {
    const id = await saveFunction('used')
    const hook = await savedHook({ caseTypeCode: 'used', functionId: id, enabled: false })
    const task = await savedTask({ caseTypeCode: 'used', functionId: id, name: 'triage' })
    const removing = 'mutation($id: ID!) { removeFunction(id: $id) { name } }'
    expect((await server.graphql(removing, { id })).body.errors?.[0]).toMatchObject({
      message:
        `Function \`${id}\` is used by hook \`${hook.id}\` (\`used\`, \`pre-save\`), case task \`triage\` ` +
        '(`used`). Change or remove them first.',
      extensions: { code: 'CONFLICT', reason: 'IN_USE' },
    })
    await savedHook({ id: hook.id, caseTypeCode: 'used' })
    await server.graphql('mutation($id: ID!) { removeCaseTask(id: $id) { id } }', { id: task.id })
    expect((await server.graphql(removing, { id })).body.data).toEqual({ removeFunction: { name: 'used' } })
  })

  test('cannot be removed by one that names it many times, and not all are listed', async () => {
    const id = await saveFunction('popular')
    for (let n = 0; n < 12; n++) await savedHook({ caseTypeCode: `popular-${n}`, functionId: id })
    const { body } = await server.graphql('mutation($id: ID!) { removeFunction(id: $id) { name } }', { id })
    expect(body.errors?.[0]?.message).toMatch(/`popular-9`, `pre-save`\) and more\. Change/)
    expect(body.errors?.[0]?.message).not.toContain('popular-10')
  })

  test('runs its live version, which lists show', async () => {
    const id = await saveFunction('rolled')
    await savedHook({ caseTypeCode: 'rolled', functionId: id })
    await server.graphql('mutation { saveFunction(input: {name: "rolled", sourceCode: "exit(2)"}) { id } }')
    const hash = createHash('sha256').update('exit(2)').digest('hex')
    expect((await lists('rolled')).hooks).toMatchObject([{ function: { live: { hash } } }])
  })
})

describe('rights', () => {
  const operations: [string, string][] = [
    ['functions:read', '{ hooks { id } }'],
    ['functions:read', '{ caseTasks(caseTypeCode: "a") { id } }'],
    [
      'functions:write',
      `mutation { saveHook(input: {caseTypeCode: "a", event: PRE_SAVE, functionId: "1"}) { id } }`,
    ],
    ['functions:write', 'mutation { removeHook(id: "999") { id } }'],
    [
      'functions:write',
      'mutation { saveCaseTask(input: {caseTypeCode: "a", name: "a", functionId: "1"}) { id } }',
    ],
    ['functions:write', 'mutation { removeCaseTask(id: "999") { id } }'],
  ]
  const scopes = [
    'memberships:read',
    'tasks:execute',
    'functions:read',
    'functions:write',
    'cases:write',
  ] as const

  test.each(operations)('%s is needed for %s', async (needed, document) => {
    for (const scope of scopes) {
      const token = await server.token({ account: server.account, user: 5, scopes: [scope] })
      const { body, text } = await server.graphql(document, {}, token)
      const codes = body.errors?.map(error => error.extensions.code) ?? []
      if (scope === needed) expect(codes, text).not.toContain('FORBIDDEN')
      else expect(codes, text).toEqual(['FORBIDDEN'])
    }
  })

  test('neither a new hook nor a changed one gets a scope that the credential lacks', async () => {
    const token = await server.token({
      account: server.account,
      user: 5,
      scopes: ['functions:write', 'functions:read', 'cases:read'],
    })
    const caseTypeCode = 'rights'
    const { id } = await savedHook({ caseTypeCode, scopes: ['cases:read', 'cases:read'] }, token)
    expect(
      (await saveHook({ id, caseTypeCode, scopes: ['cases:read'] }, token)).body.data?.saveHook,
    ).toMatchObject({
      scopes: ['cases:read'],
    })
    const given = { caseTypeCode, scopes: ['cases:write', 'cases:read', 'admin'] }
    const refused = [
      await saveHook(given, token),
      await saveHook({ ...given, id }, token),
      await saveTask({ ...given, name: 'x' }, token),
    ]
    for (const { body, status } of refused) {
      expect(status).toBe(403)
      expect(body.errors?.[0]).toMatchObject({
        message:
          'This credential lacks `cases:write`, `admin`, so it cannot give that to a script; use one that has it.',
        extensions: { code: 'FORBIDDEN', scope: 'cases:write admin' },
      })
    }
    expect(await lists(caseTypeCode)).toMatchObject({ hooks: [{ id }], caseTasks: [] })
    const reader = await server.token({
      account: server.account,
      user: 5,
      scopes: ['functions:write', 'admin'],
    })
    expect(await savedHook({ caseTypeCode, scopes: ['admin'] }, reader)).toMatchObject({ scopes: ['admin'] })
  })

  test('a script cannot make a hook with a scope that its caller lacks', async () => {
    const token = await server.token({
      account: server.account,
      user: 5,
      scopes: ['tasks:execute', 'functions:write'],
    })
    const input = '{caseTypeCode: "script", event: PRE_SAVE, functionId: $id, scopes: ["cases:write"]}'
    const sourceCode = `const document = 'mutation($id: ID!) { saveHook(input: ${input}) { id } }'
      exit(await graphql(document, payload).catch(error => error.message))`
    const answer = await server.execute({ sourceCode, inputDocument: { id: functionId } }, { token })
    expect(answer.text).toContain('This credential lacks `cases:write`')
  })
})

test('a repeated save under an idempotency key is done once', async () => {
  const input = { caseTypeCode: 'keyed', event: 'PRE_SAVE', functionId }
  const send = () =>
    server.rest<{ data: unknown }>('POST', '/graphql', {
      body: { query: savingHook, variables: { input } },
      headers: { 'idempotency-key': 'save-hook' },
    })
  const [first, again] = [await send(), await send()]
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  expect((await lists('keyed')).hooks).toHaveLength(1)
})

test('a hook is saved for a type without cases, which gets them later', async () => {
  await savedHook({ caseTypeCode: 'later', event: 'POST_SAVE', enabled: false })
  const { body } = await server.graphql('{ caseType(code: "later") { code indexedFields } }')
  expect(body.data).toEqual({ caseType: { code: 'later', indexedFields: [] } })
  const answer = await server.rest('POST', '/platform/cases', {
    body: { case: { case_type_code: 'later', data: {} } },
  })
  expect(answer.status).toBe(201)
})

import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { deliver, saveFunction, saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { until } from '../../server/processes/until.ts'

interface ReplayedRun {
  readonly id: string
  readonly trigger: string
  readonly txnID: string
  readonly payload: unknown
  readonly scopes: readonly string[]
}

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})

const fields = `id trigger name txnID txnSource state outcome input payload scopes byUserId dryRun functionVersion
  replayOf { id } error { code message }`

function replay(
  id: string,
  given: { version?: string; functionVersion?: string | null; dryRun?: boolean } = {},
  token = server.adminToken,
) {
  return server.graphql<{ replayRun: ReplayedRun | null }>(
    `mutation ($id: ID!, $version: ReplayVersion! = ORIGINAL, $functionVersion: ID, $dryRun: Boolean! = false) {
      replayRun(id: $id, version: $version, functionVersion: $functionVersion, dryRun: $dryRun) { ${fields} } }`,
    { id, ...given },
    token,
  )
}

const codeOf = ({ body }: Awaited<ReturnType<typeof replay>>) => body.errors?.[0]?.extensions?.code

async function untilKept(id: string, token = server.adminToken): Promise<void> {
  await until(async () => {
    const { body } = await server.graphql<{ run: unknown }>(
      'query ($id: ID!) { run(id: $id) { id } }',
      { id },
      token,
    )
    return body.data?.run != null
  })
}

/** Returns the id of the newest run of a filter, once there is one. */
async function newestRun(filter: string): Promise<string> {
  let id = ''
  await until(async () => {
    const { body } = await server.graphql<{ runs: { edges: { node: { id: string } }[] } }>(
      `{ runs(filter: ${filter}, first: 1) { edges { node { id } } } }`,
    )
    id = body.data?.runs.edges[0]?.node.id ?? ''
    return id !== ''
  })
  return id
}

/** Runs a function and gives the id of its run, once that is kept. */
async function runFunction(name: string, inputDocument: unknown, token = server.adminToken): Promise<string> {
  const { body } = await server.rest<ExecutionBody>('POST', `/api/1/function/${name}/execute`, {
    body: { inputDocument, options: { params: { p: 1 } } },
    token,
  })
  await untilKept(body.task_execution.id, token)
  return body.task_execution.id
}

describe('replayRun', () => {
  test('runs the kept input and options again in a new transaction, linked to the run', async () => {
    await saveFunction(
      server,
      'echo',
      'exit({ payload, params: options.params, txn: requestContext().txnID })',
    )
    const id = await runFunction('echo', { a: 1 })
    const { body, text } = await replay(id)
    expect(body.errors, text).toBeUndefined()
    expect(body.data?.replayRun).toMatchObject({
      trigger: 'REPLAY',
      name: 'echo',
      txnSource: expect.stringMatching(/^replay\|-\/echo\|/),
      state: 'ENDED',
      outcome: 'EXIT',
      input: { a: 1 },
      payload: { payload: { a: 1 }, params: { p: 1 }, txn: body.data?.replayRun?.txnID },
      dryRun: false,
      replayOf: { id },
    })
    const again = await replay(body.data?.replayRun?.id ?? '')
    expect(again.body.data?.replayRun).toMatchObject({
      trigger: 'REPLAY',
      replayOf: { id: body.data?.replayRun?.id },
    })
  })

  test('runs the original version, or the one that is live', async () => {
    await saveFunction(server, 'versions', 'exit(1)')
    const id = await runFunction('versions', {})
    await saveFunction(server, 'versions', 'exit(2)')
    expect((await replay(id)).body.data?.replayRun?.payload).toBe(1)
    expect((await replay(id, { version: 'LIVE' })).body.data?.replayRun?.payload).toBe(2)
    const removal = 'mutation ($id: ID!) { removeFunction(id: $id) { id } }'
    const { body } = await server.graphql<{ function: { id: string } }>(
      '{ function(name: "versions") { id } }',
    )
    await server.graphql(removal, { id: body.data?.function.id })
    expect((await replay(id)).body.data?.replayRun?.payload).toBe(1)
    expect(codeOf(await replay(id, { version: 'LIVE' }))).toBe('CONFLICT')
  })

  test('tries a version that is not live, whatever `version` says', async () => {
    await saveFunction(server, 'tried', 'exit([1, payload])')
    const id = await runFunction('tried', { a: 1 })
    const input = { name: 'tried', sourceCode: 'exit([2, payload])', makeLive: false }
    const save = 'mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { live { hash } } }'
    const saved = await server.graphql<{ saveFunction: { live: { hash: string } } }>(save, { input })
    const hash = createHash('sha256').update(input.sourceCode).digest('hex')
    const live = saved.body.data?.saveFunction.live.hash
    expect(live).not.toBe(hash)
    for (const version of ['ORIGINAL', 'LIVE']) {
      const { body, text } = await replay(id, { version, functionVersion: hash })
      const replayed = { payload: [2, { a: 1 }], functionVersion: hash, replayOf: { id } }
      expect(body.data?.replayRun, text).toMatchObject(replayed)
    }
    const dry = await replay(id, { functionVersion: hash, dryRun: true })
    expect(dry.body.data?.replayRun).toMatchObject({ payload: [2, { a: 1 }], dryRun: true })
    const without = (await replay(id, { functionVersion: null, version: 'LIVE' })).body.data?.replayRun
    expect(without).toMatchObject({ payload: [1, { a: 1 }], functionVersion: live })
  })

  test('of a version that the function does not have is NOT_FOUND, even if another function has it', async () => {
    const token = await server.token({ account: `${server.account}-beta` })
    await saveFunction(server, 'foreign', 'exit("foreign")', token)
    await saveFunction(server, 'neighbour', 'exit("neighbour")')
    await saveFunction(server, 'owned', 'exit(1)')
    const id = await runFunction('owned', {})
    const hashOf = (sourceCode: string) => createHash('sha256').update(sourceCode).digest('hex')
    const others = [hashOf('exit("foreign")'), hashOf('exit("neighbour")'), hashOf('exit(1)').toUpperCase()]
    for (const functionVersion of [
      ...others,
      'f'.repeat(64),
      '',
      "x'--",
      '\0',
      '\ud800',
      'x'.repeat(5_000),
    ]) {
      const refused = await replay(id, { functionVersion })
      expect(codeOf(refused)).toBe('NOT_FOUND')
      expect(refused.body.errors?.[0]?.message.length).toBeLessThan(120)
    }
    const reader = await server.token({ account: server.account, scopes: ['functions:read', 'runs:read'] })
    expect(codeOf(await replay(id, { functionVersion: hashOf('exit(1)') }, reader))).toBe('FORBIDDEN')
    const ofOther = await replay(id, { functionVersion: hashOf('exit(1)') }, token)
    expect(codeOf(ofOther)).toBe('NOT_FOUND')
  })

  test('of a script that came with its request runs that script again, and no other version', async () => {
    const sourceCode = `const half = "\\u0000"; exit([payload, half.length])`
    const { body } = await server.execute({
      name: 'sent',
      sourceCode,
      inputDocument: '{"a":1}',
      options: '{}',
    })
    const { id } = body.task_execution
    await untilKept(id)
    const { body: replayed } = await replay(id)
    expect(replayed.data?.replayRun).toMatchObject({
      ...{ trigger: 'REPLAY', name: 'sent', payload: [{ a: 1 }, 1], functionVersion: null, replayOf: { id } },
    })
    const found = await server.graphql<{ runs: { nodes: { id: string; sourceCode: string }[] } }>(
      'query ($id: ID) { runs(filter: { replayOf: $id }) { nodes { id sourceCode } } }',
      { id },
    )
    expect(found.body.data?.runs.nodes).toEqual([{ id: replayed.data?.replayRun?.id, sourceCode }])
    for (const other of [{ functionVersion: 'f'.repeat(64) }, { version: 'LIVE' }]) {
      const { body } = await replay(id, other)
      expect(body.errors?.[0]?.extensions).toEqual({ code: 'CONFLICT', reason: 'NOT_REPLAYABLE' })
    }
  })

  test('of a script that continued a transaction takes no case type from it', async () => {
    const requestContext = { txnID: randomUUID(), txnSource: 'hook|incident/other|now' }
    const { body } = await server.execute({
      name: 'continues',
      sourceCode: 'exit(1)',
      inputDocument: '{}',
      options: JSON.stringify({ requestContext }),
    })
    expect(body.task_execution.request_context).toEqual(requestContext)
    const { id } = body.task_execution
    await untilKept(id)
    const replayed = (await replay(id)).body.data?.replayRun
    expect(replayed).toMatchObject({ txnSource: expect.stringMatching(/^replay\|-\/continues\|/) })
  })

  test('of an input of more than 256 KiB is CONFLICT', async () => {
    await saveFunction(server, 'long', 'exit(1)')
    const id = await runFunction('long', { long: 'x'.repeat(2 ** 18) })
    const refused = await replay(id)
    expect(refused.body.errors?.[0]?.message).toBe(`Run \`${id}\` has no \`input\` that is kept.`)
  })

  test('the source of a function’s run needs the scope to read functions', async () => {
    await saveFunction(server, 'shown', 'exit("shown")')
    const id = await runFunction('shown', {})
    const token = await server.token({ account: server.account, scopes: ['runs:read'] })
    const query = 'query ($id: ID!) { run(id: $id) { sourceCode } }'
    const read = async (token: string) => (await server.graphql(query, { id }, token)).body.data
    expect(await read(server.adminToken)).toEqual({ run: { sourceCode: 'exit("shown")' } })
    expect(await read(token)).toEqual({ run: { sourceCode: null } })
  })

  test('of an unknown run, or one of another account, is the same NOT_FOUND', async () => {
    const token = await server.token({ account: `${server.account}-beta` })
    await saveFunction(server, 'other', 'exit(1)', token)
    const id = await runFunction('other', {}, token)
    const masked = async (runId: string) => (await replay(runId)).text.replaceAll(runId, '<id>')
    expect(await masked(id)).toBe(await masked(randomUUID()))
    expect(codeOf(await replay(id))).toBe('NOT_FOUND')
    expect(codeOf(await replay("x'--"))).toBe('NOT_FOUND')
  })

  test('needs `functions:write`, and has the scopes that both the caller and the run have', async () => {
    const sourceCode = `const { data } = await graphql('{ viewer { scopes } }'); exit(data.viewer.scopes.sort())`
    await saveFunction(server, 'rights', sourceCode)
    const id = await runFunction('rights', {})
    const reader = await server.token({ account: server.account, scopes: ['runs:read', 'tasks:execute'] })
    expect(codeOf(await replay(id, {}, reader))).toBe('FORBIDDEN')
    const writer = await server.token({ account: server.account, scopes: ['functions:write', 'cases:read'] })
    const byWriter = (await replay(id, {}, writer)).body.data?.replayRun
    expect(byWriter?.scopes.toSorted()).toEqual(['cases:read', 'functions:write'])
    expect(byWriter?.payload).toEqual(['cases:read', 'functions:write'])
    const byAdmin = (await replay(id)).body.data?.replayRun
    expect(byAdmin?.payload).toContain('admin')
    const ofReplay = (await replay(byAdmin?.id ?? '', {}, writer)).body.data?.replayRun
    expect(ofReplay?.payload).toEqual(['cases:read', 'functions:write'])
  })

  test('of a run of a trigger has the scopes of the trigger, for every caller', async () => {
    const sourceCode = `const { data } = await graphql('{ viewer { scopes } }'); exit(data.viewer.scopes.sort())`
    const writer = await server.token({ account: server.account, scopes: ['functions:write'] })
    const webhook = await saveWebhook(server, { name: 'scoped', sourceCode, scopes: ['cases:read'] })
    await deliver(server, webhook.path, { headers: signStandard({ secret: webhook.secret }) })
    const run = await newestRun('{trigger: WEBHOOK}')
    expect((await replay(run)).body.data?.replayRun?.payload).toEqual(['cases:read'])
    const byWriter = (await replay(run, {}, writer)).body.data?.replayRun
    expect(byWriter).toMatchObject({ payload: ['cases:read'], scopes: ['cases:read'] })
    const ofReplay = (await replay(byWriter?.id ?? '', {}, writer)).body.data?.replayRun
    expect(ofReplay?.payload).toEqual(['cases:read'])
    const reader = await server.token({ account: server.account, scopes: ['cases:read', 'runs:read'] })
    expect(codeOf(await replay(run, {}, reader))).toBe('FORBIDDEN')

    const functionId = await saveFunction(server, 'scoped-hook', sourceCode)
    const hook = `mutation ($id: ID!) { saveHook(input: {
      caseTypeCode: "scoped", event: POST_SAVE, functionId: $id, scopes: ["memberships:read"]}) { id } }`
    expect((await server.graphql(hook, { id: functionId })).body.errors).toBeUndefined()
    await server.graphql('mutation { saveCase(input: {caseTypeCode: "scoped", data: {a: 1}}) { txnID } }')
    const ofHook = await newestRun('{trigger: HOOK}')
    expect((await replay(ofHook, {}, writer)).body.data?.replayRun).toMatchObject({
      payload: ['memberships:read'],
      scopes: ['memberships:read'],
    })
  })

  test('names the function, not the webhook whose run it repeats, as what changed a case', async () => {
    const sourceCode = `await Platform.cases.save({ case_type_code: 'named', data: { n: 1 } }); exit(null)`
    const functionId = await saveFunction(server, 'named-function', sourceCode)
    const scopes = ['cases:write']
    const webhook = await saveWebhook(server, { name: 'named-webhook', sourceCode: 'exit(1)', scopes })
    const { body } = await server.graphql(
      'mutation ($id: ID!, $functionId: ID!) { saveWebhook(input: { id: $id, functionId: $functionId }) { secret } }',
      { id: webhook.id, functionId },
    )
    expect(body.errors).toBeUndefined()
    await deliver(server, webhook.path, { headers: signStandard({ secret: webhook.secret }) })
    const ofWebhook = await newestRun(`{trigger: WEBHOOK, functionId: "${functionId}"}`)
    for (const version of ['ORIGINAL', 'LIVE'])
      expect((await replay(ofWebhook, { version })).body.data?.replayRun).toMatchObject({
        name: 'named-webhook',
      })

    const cases = '{ cases(filter: {caseTypeCode: "named"}) { nodes { events { nodes { function } } } } }'
    const read = await server.graphql<{ cases: { nodes: { events: { nodes: object[] } }[] } }>(cases)
    const events = read.body.data?.cases.nodes.flatMap(({ events }) => events.nodes)
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ function: 'named-function' })))
  })

  test('shows a caller without `runs:read` the code of an error alone', async () => {
    await saveFunction(server, 'throws', 'throw new Error("secret detail")')
    const id = await runFunction('throws', {})
    const writer = await server.token({ account: server.account, scopes: ['functions:write'] })
    const { text, body } = await replay(id, {}, writer)
    expect(text).not.toContain('secret detail')
    expect(body.data?.replayRun).toMatchObject({ outcome: 'ERROR', error: { code: 'RUNTIME' } })
    expect((await replay(id)).text).toContain('secret detail')
  })

  test('shows a caller without `runs:read` nothing of the run that it repeats', async () => {
    await saveFunction(server, 'quiet', 'exit(1)')
    const id = await runFunction('quiet', { secret: 'detail' })
    const writer = await server.token({ account: server.account, scopes: ['functions:write'] })
    const selection = '{ payload input options parent { id } replayOf { input } }'
    const { body } = await server.graphql<{ replayRun: object }>(
      `mutation ($id: ID!) { replayRun(id: $id, dryRun: true) ${selection} }`,
      { id },
      writer,
    )
    const nothing = { input: null, options: null, parent: null, replayOf: null }
    expect(body.data?.replayRun).toEqual({ payload: 1, ...nothing })
    expect(body.errors?.map(({ extensions }) => extensions)).toEqual(
      Array(4).fill({ code: 'FORBIDDEN', scope: 'runs:read' }),
    )
  })

  test('that is dry answers queries, and refuses mutations and other hosts', async () => {
    const sourceCode = `const attempt = async call => call.then(({ data }) => data, error => String(error.message))
      exit([
        await attempt(graphql('{ viewer { accountCode } }')),
        await attempt(graphql('mutation { addTeamMembership(input: {userId: 1, teamId: 1}) { id } }')),
        await attempt(graphql('{ a }', {}, 'https://example.com/')),
      ])`
    await saveFunction(server, 'effects', sourceCode)
    const id = await runFunction('effects', {})
    const { body } = await replay(id, { dryRun: true })
    const payload = body.data?.replayRun?.payload as unknown[]
    expect(payload[0]).toEqual({ viewer: { accountCode: server.account } })
    expect(payload[1]).toMatch(/dry run/)
    expect(payload[2]).toMatch(/dry run/)
    expect(body.data?.replayRun).toMatchObject({ dryRun: true })
    expect(codeOf(await replay(body.data?.replayRun?.id ?? ''))).toBe('CONFLICT')
  })

  test('of a hook before a save is dry only', async () => {
    const functionId = await saveFunction(server, 'pre', 'exit(payload.bad ? 1 : { ...payload, seen: true })')
    const hook = `mutation ($id: ID!) {
      saveHook(input: {caseTypeCode: "replayed", event: PRE_SAVE, functionId: $id}) { id } }`
    expect((await server.graphql(hook, { id: functionId })).body.errors).toBeUndefined()
    const save = `mutation { saveCase(input: {caseTypeCode: "replayed", data: {a: 1}}) { runs { id } } }`
    const saved = await server.graphql<{ saveCase: { runs: { id: string }[] } }>(save)
    const id = saved.body.data?.saveCase.runs[0]?.id ?? ''
    await untilKept(id)
    expect(codeOf(await replay(id))).toBe('CONFLICT')
    const { body } = await replay(id, { dryRun: true })
    expect(body.data?.replayRun).toMatchObject({
      payload: { a: 1, seen: true },
      txnSource: expect.stringMatching(/^replay\|replayed\/pre-save\/pre\|/),
    })
    expect(codeOf(await replay(body.data?.replayRun?.id ?? ''))).toBe('CONFLICT')
  })

  test('of a case task checks the data that it exits with, also when it repeats a replay', async () => {
    const functionId = await saveFunction(server, 'tasked', 'exit(1)')
    const { body } = await server.graphql<{ saveCase: { case: { id: string } } }>(
      `mutation ($id: ID!) {
        saveCaseTask(input: { caseTypeCode: "tasked", name: "count", functionId: $id }) { id }
        saveCase(input: { caseTypeCode: "tasked", data: {} }) { case { id } } }`,
      { id: functionId },
    )
    await server.rest('POST', `/api/1/case/${body.data?.saveCase.case.id}/task/count`)
    const ofTask = await newestRun('{trigger: TASK}')
    const failed = { outcome: 'ERROR', error: { code: 'RESULT' } }
    const first = (await replay(ofTask, { dryRun: true })).body.data?.replayRun
    expect(first).toMatchObject(failed)
    expect((await replay(first?.id ?? '', { dryRun: true })).body.data?.replayRun).toMatchObject(failed)
  })
})

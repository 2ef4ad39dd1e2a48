import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliver, saveWebhook, signGithub, signStandard } from '../../server/clients/webhooks.ts'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'
import { type Gate, startGate } from '../../server/processes/start-gate.ts'
import { until } from '../../server/processes/until.ts'

interface Counted {
  readonly name: string
  readonly id: string
}

describe.each(['SQLite', 'PostgreSQL'])('messages of webhooks on %s', engine => {
  let gate: Gate
  let server: SharedServer
  let other: SharedServer
  beforeAll(async () => {
    if (engine === 'SQLite') server = other = await shareServer()
    else [server, other] = await shareReplicas()
    gate = await startGate(server.urlForScripts)
  })
  afterAll(() => gate.close())

  const countRuns = async (name: string) => {
    const { body } = await server.graphql<{ runs: { edges: { node: Counted }[] } }>(
      '{ runs(filter: {trigger: WEBHOOK}, first: 100) { edges { node { name id } } } }',
    )
    return body.data?.runs.edges.filter(({ node }) => node.name === name).length
  }

  test('an accepted message is not run again, at any gateway', async () => {
    const webhook = await saveWebhook(server, { name: 'once', sourceCode: 'exit({ at: generateGuid() })' })
    const send = (to: SharedServer, id: string) =>
      deliver(to, webhook.path, { headers: signStandard({ secret: webhook.secret, id }) })
    const first = await send(server, 'a')
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null])
    for (const to of [server, other]) {
      const again = await send(to, 'a')
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      expect(again.text).toBe(first.text)
    }
    expect((await send(other, 'b')).text).not.toBe(first.text)
  })

  test('a message that failed runs again', async () => {
    const sourceCode = 'if (payload.good) exit("done"); fail("not yet")'
    const webhook = await saveWebhook(server, { name: 'retried', sourceCode })
    const send = (body: string) =>
      deliver(server, webhook.path, {
        body,
        headers: signStandard({ secret: webhook.secret, body, id: 'm' }),
      })
    expect((await send('{}')).status).toBe(422)
    expect((await send('{}')).status).toBe(422)
    expect(await send('{"good":true}')).toMatchObject({ status: 200, body: 'done' })
    const again = await send('{}')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  })

  test('of 12 at once one runs, and the others wait for it', async () => {
    const sourceCode = `${gate.wait}; exit(generateGuid())`
    const webhook = await saveWebhook(server, { name: 'at-once', sourceCode, verification: 'GITHUB' })
    const body = '{}'
    const headers = signGithub({ secret: webhook.secret, body, id: 'm' })
    const sent = Array.from({ length: 12 }, (_, index) =>
      deliver(index % 2 === 0 ? server : other, webhook.path, { body, headers }),
    )
    await until(() => gate.arrived() === 1)
    gate.open()
    const answers = await Promise.all(sent)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const replayed = answers.filter(answer => answer.headers.get('idempotency-replayed') === 'true')
    expect([answers[0]?.status, replayed.length]).toEqual([200, 11])
  })

  test('QUEUED answers 202 with the id of the run, once for each message', async () => {
    const webhook = await saveWebhook(server, { name: 'queued', sourceCode: 'exit(1)', mode: 'QUEUED' })
    const headers = () => signStandard({ secret: webhook.secret, body: '{"a":1}', id: 'm' })
    const sent = Array.from({ length: 10 }, (_, index) =>
      deliver(index % 2 === 0 ? server : other, webhook.path, { body: '{"a":1}', headers: headers() }),
    )
    const answers = await Promise.all(sent)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 202])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers[0]?.body).toEqual({ queued_run: { id: expect.stringMatching(/^\d+$/) } })
    const bad = signStandard({ secret: webhook.secret, body: '{', id: 'n' })
    expect((await deliver(server, webhook.path, { body: '{', headers: bad })).status).toBe(400)
  })

  test('a message that runs is not queued, although its webhook queues from now on', async () => {
    const before = gate.arrived()
    const sourceCode = `${gate.wait}; exit('ran')`
    const webhook = await saveWebhook(server, { name: 'queued-meanwhile', sourceCode })
    const headers = signStandard({ secret: webhook.secret, id: 'm' })
    const running = deliver(server, webhook.path, { headers })
    await until(() => gate.arrived() > before)
    await server.graphql(
      'mutation ($id: ID!) { saveWebhook(input: { id: $id, mode: QUEUED }) { webhook { id } } }',
      { id: webhook.id },
    )
    const refused = await deliver(server, webhook.path, { headers })
    expect(refused).toMatchObject({ status: 409, body: { reason: 'RUNNING' } })
    gate.open()
    expect(await running).toMatchObject({ status: 200, body: 'ran' })
    const again = await deliver(server, webhook.path, { headers })
    expect(again).toMatchObject({ status: 200, body: 'ran' })
  })

  test('a queued run has the input, the rights and the transaction of its delivery', async () => {
    const sourceCode = `const { data } = await graphql('{ viewer { scopes } }')
      exit([payload, options.params.query, options.current_user.id, data.viewer.scopes])`
    const scopes = ['cases:read']
    const webhook = await saveWebhook(server, { name: 'later', sourceCode, mode: 'QUEUED', scopes })
    const body = '{"a":1}'
    const headers = signStandard({ secret: webhook.secret, body })
    expect((await deliver(server, `${webhook.path}?b=2`, { body, headers })).status).toBe(202)
    const find = `{ runs(filter: {trigger: WEBHOOK}, first: 10) { edges { node {
      name outcome payload txnSource attempt scopes } } } }`
    const findRun = async () => {
      const answer = await server.graphql<{ runs: { edges: { node: Counted }[] } }>(find)
      return answer.body.data?.runs.edges.map(({ node }) => node).find(({ name }) => name === 'later')
    }
    await expect.poll(findRun, { timeout: 20_000 }).toMatchObject({
      outcome: 'EXIT',
      payload: [{ a: 1 }, { b: '2' }, null, scopes],
      txnSource: expect.stringMatching(/^webhook\|-\/later\|/),
      attempt: 1,
      scopes,
    })
  })

  test('runs of deliveries are kept', async () => {
    await expect.poll(() => countRuns('retried')).toBe(3)
    await expect.poll(() => countRuns('at-once')).toBe(1)
  })
})

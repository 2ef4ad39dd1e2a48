import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedServer } from '../server/gateways/start-server.ts'
import { startUpstream, type Upstream } from '../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../server/processes/child-processes.ts'
import { callMessage, endMessage } from './messages.ts'
import { type Deed, speech, startTakenOver } from './start-taken-over.ts'
import { worstSpeeches } from './worst-speeches.ts'

const timeoutMs = 2_500
const say = (message: object): Deed => ({ text: `${JSON.stringify(message)}\n` })

let server: ObservedServer
let canary: Upstream
let weak: string

beforeAll(async () => {
  canary = await startUpstream((_, response) => response.end('{}'))
  server = await startTakenOver({
    ROSTRUM_SANDBOXES: '2',
    ROSTRUM_WARM_SANDBOXES: '2',
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
    ROSTRUM_TASK_SOURCE_BYTES: '16000000',
    ROSTRUM_TASK_RESULT_BYTES: '2000000',
    LOG_LEVEL: 'error',
  })
  weak = await server.token({ account: 'weak', email: 'weak@example.com', scopes: ['tasks:execute'] })
})
afterAll(async () => {
  await server.stop()
  await canary.close()
})

describe('a sandbox that sends', () => {
  test.each(worstSpeeches)(
    '%s costs its own run, is gone, and holds the gateway up for no time',
    async (_, deeds, code) => {
      await server.observe()
      const named: Deed = say({ type: 'log', run: '<run>', level: 'info', data: '[<pid>]' })
      const begun = performance.now()
      const answer = await server.execute(speech([named, ...deeds]))
      expect(performance.now() - begun).toBeLessThan(timeoutMs + 2_000)
      const { error, logs } = answer.body.task_execution
      expect([answer.status, error?.code]).toEqual([422, code])
      expect(await findSurvivors([Number(logs[0]?.data[0])], 1_000)).toEqual([])
      expect(answer.text.length).toBeLessThan(700_000)
      expect((await server.execute('exit(payload)')).status).toBe(200)
      const { longestPauseMs, residentBytes } = await server.observe()
      expect(longestPauseMs).toBeLessThan(1_000)
      expect(residentBytes).toBeLessThan(600 * 2 ** 20)
    },
  )
})

describe('a sandbox that asks for more than its run may', () => {
  async function askFor(query: string, url: string | null = null, variables = '{}') {
    const deeds: Deed[] = [
      say({ ...callMessage(1, query), url, variables }),
      { answer: true },
      say(endMessage({ kind: 'exit', payload: '1' })),
      { text: '{"type":"ready"}\n' },
    ]
    const answer = await server.execute(speech(deeds), { token: weak })
    return String(answer.body.task_execution.logs[0]?.data[1])
  }

  test('gets the rights of its run, whatever it says of accounts and users', async () => {
    const asked = await askFor(
      'query { viewer { accountCode email scopes } }',
      null,
      '{"accountCode":"demo"}',
    )
    expect(JSON.parse(asked).data.viewer).toEqual({
      accountCode: 'weak',
      email: 'weak@example.com',
      scopes: ['tasks:execute'],
    })
    const mutation = 'mutation { addTeamMembership(input: { userId: 1, teamId: 1 }) { id } }'
    expect(await askFor(mutation)).toContain('FORBIDDEN')
  })

  test('reaches no host that is not listed, by whatever url', async () => {
    const urls = [
      canary.url,
      server.baseUrl,
      `${server.baseUrl}/graphql`,
      'http://localhost:1',
      'file:///etc/passwd',
      'https://example.com@127.0.0.1/',
      '',
    ]
    for (const url of urls) {
      const asked = await askFor('{ viewer { email } }', url)
      expect(asked).not.toContain('weak@example.com')
      expect(asked).toMatch(/url|list|allow|http/i)
    }
    expect(canary.requests).toEqual([])
  })

  test('is not heard once its run has ended', async () => {
    const mutation = 'mutation { addTeamMembership(input: { userId: 77, teamId: 77 }) { id } }'
    const end = say(endMessage({ kind: 'exit', payload: '1' }))
    for (const late of [
      [end, say(callMessage(1, mutation))],
      [end, { text: '{"type":"ready"}\n' }, say(callMessage(1, mutation))],
      [end, { wait: 30 }, say(callMessage(1, mutation))],
    ]) {
      expect((await server.execute(speech(late as Deed[]))).status).toBe(200)
    }
    expect((await server.graphql('{ user(id: 77) { id } }')).body.data).toEqual({ user: null })
  })
})

test('no more sandboxes than the maximum of two are left', async () => {
  await server.execute('exit(1)')
  const mouths = findDescendants(server.pid)
  expect(mouths.length).toBeGreaterThan(0)
  // Each may hold a real one.
  expect(mouths.length).toBeLessThanOrEqual(4)
})

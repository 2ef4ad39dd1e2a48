import { beforeAll, describe, expect, test } from 'vitest'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const path = '/api/1/endpoint/execute'
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const task = { name: 'a', inputDocument: '{}', options: '{}' }

describe('source code', () => {
  const pad = (bytes: number, filler: string) => {
    const code = 'exit(1)//'
    return code + filler.repeat((bytes - code.length) / Buffer.byteLength(filler))
  }

  test('of 256 KiB runs', async () => {
    const answer = await server.execute(pad(2 ** 18, 'x'))
    expect(answer.body.task_execution.payload).toBe(1)
  })

  test.each([
    ['one byte past 256 KiB', () => pad(2 ** 18 + 1, 'x')],
    ['past 256 KiB in bytes, not in characters', () => pad(2 ** 18 + 9 + 2, 'é')],
  ])('%s is a 413 problem', async (_, make) => {
    const answer = await server.rest<ProblemBody>('POST', path, { body: { ...task, sourceCode: make() } })
    expect(answer.status).toBe(413)
    expect(answer.body.code).toBe('PAYLOAD_TOO_LARGE')
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(['/sourceCode'])
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })

  test('past 256 KiB is refused over GraphQL too', async () => {
    const answer = await server.graphql(
      'mutation($input: ExecuteTaskInput!) { executeTask(input: $input) { id } }',
      { input: { ...task, sourceCode: pad(2 ** 18 + 1, 'x') } },
    )
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      errors: [{ pointer: '/sourceCode' }],
    })
  })
})

describe('the request body', () => {
  test('just under 2 MiB is read', async () => {
    const inputDocument = JSON.stringify('y'.repeat(2 ** 21 - 500))
    const answer = await server.execute({ sourceCode: 'exit(payload.length)', inputDocument })
    expect(answer.body.task_execution.payload).toBe(2 ** 21 - 500)
  })

  test.each(['application/json', 'application/x-www-form-urlencoded'])(
    'past 2 MiB is a 413 (%s)',
    async type => {
      const body =
        type === 'application/json' ? `{"name":"${'y'.repeat(2 ** 21)}"}` : `name=${'y'.repeat(2 ** 21)}`
      const answer = await server.rest<ProblemBody>('POST', path, { body, headers: { 'content-type': type } })
      expect(answer.status).toBe(413)
      expect(answer.body.code).toBe('PAYLOAD_TOO_LARGE')
    },
  )
})

describe('the result', () => {
  test('of just under 2 MiB is answered', async () => {
    const answer = await server.execute<string>('exit("z".repeat(2 ** 21 - 100))')
    expect(answer.body.task_execution.payload).toHaveLength(2 ** 21 - 100)
  })

  test.each(['exit("z".repeat(2 ** 21))', 'exit("é".repeat(2 ** 20))', 'exit(Array(2 ** 20).fill(100))'])(
    'past 2 MiB (%s) is a LIMIT error',
    async sourceCode => {
      const { outcome, payload, error } = (await server.execute(sourceCode)).body.task_execution
      expect({ outcome, payload, code: error?.code }).toEqual({
        outcome: 'error',
        payload: null,
        code: 'LIMIT',
      })
    },
  )
})

describe('the log', () => {
  // How many entries the last one says were cut.
  const cutCount = (data: readonly unknown[]) =>
    Number(/\d[\d,]*/.exec(JSON.stringify(data))?.[0].replaceAll(',', ''))

  test('of 1,000 entries is whole', async () => {
    const { logs } = (await server.execute('for (let i = 0; i < 1000; i++) log(i); exit(1)')).body
      .task_execution
    expect(logs.map(entry => entry.data)).toEqual(Array.from({ length: 1000 }, (_, index) => [index]))
  })

  test('past 1,000 entries is cut, and the last entry says how much', async () => {
    const { outcome, logs } = (await server.execute('for (let i = 0; i < 1250; i++) log("entry"); exit(1)'))
      .body.task_execution
    expect(outcome).toBe('exit')
    expect(logs.length).toBeGreaterThanOrEqual(1000)
    expect(logs.length).toBeLessThanOrEqual(1001)
    expect(logs.length - 1 + cutCount(logs.at(-1)?.data ?? [])).toBe(1250)
  })

  test('past 256 KiB is cut, and the last entry says how much', async () => {
    const { outcome, logs } = (
      await server.execute('for (let i = 0; i < 500; i++) log("x".repeat(1000)); exit(1)')
    ).body.task_execution
    expect(outcome).toBe('exit')
    expect(JSON.stringify(logs.map(entry => entry.data)).length).toBeLessThan(2 ** 18 + 2_000)
    expect(JSON.stringify(logs.map(entry => entry.data)).length).toBeGreaterThan(2 ** 18 - 20_000)
    expect(logs.length - 1 + cutCount(logs.at(-1)?.data ?? [])).toBe(500)
  })

  test('of one entry past 256 KiB does not come whole', async () => {
    const { outcome, logs } = (await server.execute('log("x".repeat(2 ** 20)); log("after"); exit(1)')).body
      .task_execution
    expect(outcome).toBe('exit')
    expect(JSON.stringify(logs).length).toBeLessThan(2 ** 18 + 2_000)
  })
})

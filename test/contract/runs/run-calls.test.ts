import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'

interface Call {
  readonly name: string
  readonly startMs: number
  readonly durationMs: number | null
  readonly error: string | null
  readonly run: { readonly id: string; readonly name: string } | null
}

interface Found {
  readonly durationMs: number | null
  readonly calls: readonly Call[]
}

describe('SQLite', () => {
  claims(shareServer)
})

describe('PostgreSQL', () => {
  claims(async () => (await shareReplicas())[0])
})

const findCalls = `query Calls($id: ID!) {
  run(id: $id) { durationMs calls { name startMs durationMs error run { id name } } }
}`

function claims(share: () => Promise<SharedServer>): void {
  let server: SharedServer
  beforeAll(async () => {
    server = await share()
  })

  async function run(sourceCode: string): Promise<Found> {
    const { body } = await server.execute(sourceCode)
    const variables = { id: body.task_execution.id }
    const read = async () =>
      (await server.graphql<{ run: Found | null }>(findCalls, variables)).body.data?.run ?? null
    await expect.poll(async () => (await read())?.durationMs ?? null).not.toBeNull()
    return (await read()) ?? expect.unreachable()
  }

  test('a run keeps its calls in order, inside its own time, with the error and the run of each', async () => {
    const { durationMs, calls } = await run(`
      await graphql('{ viewer { accountCode } }')
      await graphql('{ none }').catch(() => {})
      await Platform.tasks.execute({ name: 'inner', sourceCode: 'exit(1)', inputDocument: 1 })
      exit(1)`)
    expect(calls.map(({ name }) => name)).toEqual(['viewer', 'none', 'executeTask'])
    expect(calls[1]?.error).toContain('none')
    expect(calls[0]?.error).toBeNull()
    expect(calls.map(({ run }) => run?.name)).toEqual([undefined, undefined, 'inner'])
    const times = calls.flatMap(call => [call.startMs, call.startMs + (call.durationMs ?? Number.NaN)])
    const all = [0, ...times, (durationMs ?? Number.NaN) + 1]
    expect(all).toEqual(all.toSorted((one, other) => one - other))
  })

  test('a call that is under way when the run ends has no duration', async () => {
    const { calls } = await run(`
      Platform.tasks.execute({ name: 'endless', sourceCode: 'while (true);', inputDocument: 1 }).catch(() => {})
      await graphql('{ viewer { accountCode } }')
      exit(1)`)
    expect(calls.map(({ name }) => name)).toEqual(['executeTask', 'viewer'])
    expect(calls[0]).toMatchObject({ durationMs: null, error: null })
    expect(calls[1]?.durationMs).not.toBeNull()
  })

  test('a hostile script keeps 100 calls with short names and messages, a quiet one none', async () => {
    const { calls } = await run(`
      const long = 'x'.repeat(5_000)
      for (let count = 0; count < 101; count++) await graphql('{ ' + long + ' }').catch(() => {})
      exit(1)`)
    expect(calls).toHaveLength(100)
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['x'.repeat(100)]))
    expect(new Set(calls.map(({ error }) => error?.length))).toEqual(new Set([300]))
    expect((await run('exit(1)')).calls).toEqual([])
  })
}

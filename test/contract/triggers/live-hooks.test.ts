import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'

interface Saved {
  readonly case: { readonly id: number; readonly data: Record<string, unknown> }
}

interface Live {
  readonly saveFunction: { readonly id: string; readonly live: { readonly hash: string } }
}

describe.each([
  ['one gateway on SQLite', async () => [await shareServer()]],
  ['two gateways on PostgreSQL', async () => shareReplicas()],
] as const)('%s', (_, share) => {
  let one: SharedServer
  let other: SharedServer
  beforeAll(async () => {
    const [first, last = first] = await share()
    one = first
    other = last
  })

  const saveFunction = (name: string, sourceCode: string, makeLive = true) =>
    one.graphql<Live>(
      'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id live { hash } } }',
      { input: { name, sourceCode, makeLive } },
    )

  async function save(id: number): Promise<unknown> {
    const body = { case: { data: { asked: randomUUID() } } }
    const { body: saved } = await other.rest<Saved>('PUT', `/platform/cases/${id}`, { body })
    return saved.case.data.by
  }

  test('a hook before a save runs the live version at each save, whichever gateway made it live', async () => {
    const [caseTypeCode, name] = [`live-${randomUUID()}`, `hook-${randomUUID()}`]
    const body = { case: { case_type_code: caseTypeCode, data: {} } }
    const { id } = (await other.rest<Saved>('POST', '/platform/cases', { body })).body.case
    await saveHook(one, 'exit({ ...payload, by: 1 })', { caseTypeCode, name })
    expect([await save(id), await save(id)]).toEqual([1, 1])
    const second = await saveFunction(name, 'exit({ ...payload, by: 2 })')
    expect([await save(id), await save(id)]).toEqual([2, 2])
    await saveFunction(name, 'exit({ ...payload, by: 3 })', false)
    expect(await save(id)).toBe(2)
    await saveFunction(name, 'exit({ ...payload, by: 4 })')
    expect(await save(id)).toBe(4)
    const { id: functionId, live } = second.body.data?.saveFunction ?? {}
    await one.graphql(
      'mutation($id: ID!, $hash: ID!) { makeVersionLive(functionId: $id, hash: $hash) { id } }',
      { id: functionId, hash: live?.hash },
    )
    expect(await save(id)).toBe(2)
  })
})

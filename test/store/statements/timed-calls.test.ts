import { expect, test } from 'vitest'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

eachStore(({ open }) => {
  test('each read and each change is reported once, single memberships and tokens too', async () => {
    const seen: string[] = []
    const store = await open({ observe: operation => void seen.push(operation) })
    async function report(work: () => Promise<unknown>): Promise<string[]> {
      seen.length = 0
      await work()
      return [...seen]
    }
    const { memberships, users, tokens } = store
    const origin = by('a')
    expect(await report(() => users.findByIds('a', [1]))).toEqual(['read'])
    expect(await report(() => tokens.findBySha256(hashToken('none')))).toEqual(['read'])
    expect(await report(() => memberships.add(origin, { userId: 1, teamId: 1 }))).toEqual(['write'])
    expect(await report(() => memberships.findByIds('a', [1, 2]))).toEqual(['read'])
    expect(await report(() => memberships.move(origin, 1, { teamId: 2 }, null))).toEqual(['write'])
    expect(await report(() => memberships.remove(origin, 1, null))).toEqual(['write'])
    expect(await report(() => memberships.remove(origin, 1, null))).toEqual(['write'])
    const bulk = () =>
      memberships.changeMany(origin, { kind: 'add', items: [{ userId: 3, teamId: 3 }] }, 'partial')
    expect(await report(bulk)).toEqual(['write'])
  })
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSaveCaseType } from '../../../src/domain/cases/save-case-type.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { by } from '../../store/databases/origin.ts'

let store: Store
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' })
})
afterEach(() => store.close())

const keyed = { ...by('a'), step: { key: 'k', number: 1 } }
const { signal } = new AbortController()

function save(origin: typeof keyed | ReturnType<typeof by>, indexedFields: readonly string[]) {
  const saveType = createSaveCaseType({ store: store.cases, waitForTurn: async () => {} })
  return saveType(origin, { code: 'incident', indexedFields, signal })
}

test.each([
  ['with more fields', ['a', 'b']],
  ['with fewer fields', []],
])('a save %s that is made again under its key returns its first result', async (_, fields) => {
  await save(by('a'), ['a'])
  const first = await save(keyed, fields)
  const later = await save(by('a'), ['c'])
  expect(await save(keyed, fields)).toEqual(first)
  expect(await store.cases.findType('a', 'incident')).toEqual(later)
})

test('a save that ended before all values were written continues', async () => {
  const { addValues } = store.cases
  Object.assign(store.cases, { addValues: () => Promise.reject(new Error('The gateway died.')) })
  await expect(save(keyed, ['a'])).rejects.toThrow('The gateway died.')
  Object.assign(store.cases, { addValues })
  expect(await save(keyed, ['a'])).toMatchObject({ indexedFields: ['a'] })
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createUntilChange } from '../../../src/store/sqlite/cache/until-change.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { caseCommit } from '../cases/case-commit.ts'
import { by } from '../databases/origin.ts'

const folder = makeTempFolder()
const path = `${folder.path}/store.db`
const statements: string[] = []
let store: Store

beforeAll(async () => {
  store = await openStore({ url: `sqlite:${path}`, onStatement: statement => statements.push(statement) })
  await store.cases.commit(caseCommit())
})
afterAll(async () => {
  await store.close()
  folder.remove()
})
beforeEach(async () => {
  await nextTurn()
  statements.length = 0
})

const readsOfType = () => statements.filter(text => /select .* from case_types/is.test(text)).length

const findType = async (code: string, accountCode = 'a') => store.cases.findType(accountCode, code)

async function saveType(indexedFields: readonly string[]): Promise<void> {
  const type = await findType('plain')
  const revision = type?.revision ?? 0
  await store.cases.saveType(by('a'), {
    code: 'plain',
    indexedFields: [...indexedFields],
    writtenFields: [...indexedFields],
    revision,
  })
}

test('a case type is read once until a type changes', async () => {
  const [first, second] = [await findType('incident'), await findType('incident')]
  expect(first).toMatchObject({ code: 'incident' })
  expect(second).toEqual(first)
  expect(await findType('none')).toBeNull()
  expect(readsOfType()).toBe(2)
  await store.cases.commit(caseCommit())
  statements.length = 0
  expect(await findType('incident')).toEqual(first)
  expect(await findType('none')).toBeNull()
  expect(readsOfType()).toBe(0)
})

test('a type that a new case brings is found right after it', async () => {
  expect(await findType('fresh')).toBeNull()
  await store.cases.commit(caseCommit({ caseTypeCode: 'fresh' }))
  expect(await findType('fresh')).toMatchObject({ code: 'fresh' })
})

test('a change of the type is seen as soon as it is answered', async () => {
  for (const fields of [['a'], ['a', 'b'], []]) {
    await saveType(fields)
    expect(await findType('plain')).toMatchObject({ indexedFields: fields })
  }
})

test('a change of another process is seen in the next turn', async () => {
  const other = new Database(path)
  for (let revision = 100; revision < 110; revision++) {
    await findType('plain')
    other.prepare("update case_types set revision = ? where code = 'plain'").run(revision)
    await nextTurn()
    expect(await findType('plain')).toMatchObject({ revision })
  }
  other.close()
})

test('a type that one account has read is not found by another', async () => {
  expect(await findType('plain')).not.toBeNull()
  expect(await findType('plain', 'b')).toBeNull()
})

test('a result that was read while something changed is not kept', async () => {
  let value = 0
  const readValue = async () => {
    const seen = value
    await nextTurn()
    return seen
  }
  const read = createUntilChange(readValue, () => value)
  const reading = read('a', 'name')
  value = 1
  expect([await reading, await read('a', 'name')]).toEqual([0, 1])
})

test('many names do not fill the memory', async () => {
  let reads = 0
  const read = createUntilChange(
    async () => ++reads,
    () => 0,
  )
  for (let n = 0; n < 2_500; n++) await read('a', `name ${n}`)
  await read('a', 'name 0')
  expect(reads).toBe(2_501)
})

test('many names at once do not fill the memory either', async () => {
  let reads = 0
  const read = createUntilChange(
    async () => ++reads,
    () => 0,
  )
  await Promise.all(Array.from({ length: 1_500 }, (_, n) => read('a', `name ${n}`)))
  await read('a', 'another')
  await read('a', 'name 0')
  expect(reads).toBe(1_502)
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDirectory, type Directory } from '../../src/domain/directory/directory.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/open-store.ts'
import { by } from '../store/databases/origin.ts'

let store: Store
let directory: Directory
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' })
  directory = createDirectory(store)
})
afterEach(() => store.close())

test('details are saved, and null clears them', async () => {
  const longest = `${'a'.repeat(308)}@example.com`
  const saved = await directory.saveUser(by('a'), 7, { email: longest, displayName: 'x'.repeat(200) })
  expect(saved).toEqual({ id: 7, email: longest, displayName: 'x'.repeat(200) })
  expect(await directory.saveUser(by('a'), 7, { email: null })).toMatchObject({ email: null })
  expect(await directory.saveTeam(by('a'), 3, { name: 'x' })).toEqual({ id: 3, name: 'x' })
})

test.each([
  '',
  'ann',
  '@',
  'ann@',
  '@example.com',
  'a@b@c',
  'a b@c',
  `${'a'.repeat(309)}@example.com`,
  'a\0@c',
])('%j is no email address', async email => {
  await expect(directory.saveUser(by('a'), 7, { email })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    fields: [{ pointer: '/email' }],
  })
  expect(await store.users.findByIds('a', [7])).toEqual([])
})

test.each(['', 'x'.repeat(201), 'a\0b', '\ud800'])('%j is no name', async name => {
  await expect(directory.saveUser(by('a'), 7, { displayName: name })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    fields: [{ pointer: '/displayName' }],
  })
  await expect(directory.saveTeam(by('a'), 3, { name })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    fields: [{ pointer: '/name' }],
  })
})

test('every bad detail has its pointer', async () => {
  await expect(directory.saveUser(by('a'), 7, { email: 'x', displayName: '' })).rejects.toMatchObject({
    fields: [{ pointer: '/email' }, { pointer: '/displayName' }],
  })
})

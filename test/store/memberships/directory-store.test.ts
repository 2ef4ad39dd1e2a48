import { beforeEach, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

eachStore(harness => {
  let store: Store
  beforeEach(async () => {
    store = await harness.open()
  })

  test('saving creates the record, keeps missing details and clears those that are null', async () => {
    expect(await store.users.save(by('a'), 7, {})).toEqual({ id: 7, email: null, displayName: null })
    await store.users.save(by('a'), 7, { email: 'ann@example.com' })
    expect(await store.users.save(by('a'), 7, { displayName: 'Ann' })).toEqual({
      id: 7,
      email: 'ann@example.com',
      displayName: 'Ann',
    })
    expect(await store.users.save(by('a'), 7, { email: null })).toEqual({
      id: 7,
      email: null,
      displayName: 'Ann',
    })
    expect(await store.teams.save(by('a'), 3, { name: 'Desk' })).toEqual({ id: 3, name: 'Desk' })
    expect(await store.teams.save(by('a'), 3, {})).toEqual({ id: 3, name: 'Desk' })
    expect(await store.teams.save(by('a'), 3, { name: null })).toEqual({ id: 3, name: null })
  })

  test('a save of a step is made once, and gives its first result again', async () => {
    const details = { email: null, displayName: 'Ångström 🎉 "\' \\ ; \u202e' }
    const step = { key: 'k', number: 1 }
    const first = await store.users.save({ ...by('a'), step }, 7, details)
    await store.users.save(by('a'), 7, { email: 'ann@example.com', displayName: 'later' })
    expect(await store.users.save({ ...by('a'), step }, 7, details)).toEqual(first)
    expect(await store.users.findByIds('a', [7])).toMatchObject([{ displayName: 'later' }])
    const ofOthers = [
      { ...by('b'), step },
      { ...by('a'), step: { ...step, number: 2 } },
    ]
    for (const origin of ofOthers) await store.users.save(origin, 7, { displayName: 'other' })
    expect(await store.users.findByIds('a', [7])).toMatchObject([{ displayName: 'other' }])
  })

  test('attempts at one step at once make one save', async () => {
    const origin = { ...by('a'), step: { key: 'k', number: 1 } }
    const save = (name: string) => store.teams.save(origin, 3, { name })
    const saved = await Promise.all(['one', 'two', 'three'].map(save))
    expect(new Set(saved.map(({ name }) => name)).size).toBe(1)
    expect(await store.teams.findByIds('a', [3])).toEqual([saved[0]])
  })

  test('names come back letter by letter', async () => {
    const displayName = 'Ångström 🎉 "\' \\ ; -- \u202e'
    await store.users.save(by('a'), 7, { displayName })
    expect(await store.users.findByIds('a', [7])).toMatchObject([{ displayName }])
  })

  test('users and teams of the same id in two accounts do not meet', async () => {
    await store.users.save(by('a'), 7, { email: 'ann@example.com' })
    await store.users.save(by('b'), 7, { email: 'bob@example.com' })
    await store.teams.save(by('a'), 3, { name: 'A' })
    await store.teams.save(by('b'), 3, { name: 'B' })
    expect(await store.users.findByIds('a', [7])).toMatchObject([{ email: 'ann@example.com' }])
    expect(await store.teams.findByIds('a', [3])).toEqual([{ id: 3, name: 'A' }])
    expect(await store.users.findByIds('c', [7])).toEqual([])
    expect(await store.teams.findByIds('c', [3])).toEqual([])
    expect(await store.users.findByEmail('b', 'ann@example.com')).toBeNull()
  })

  test('of several users with one email, the one with the lowest id is found', async () => {
    await store.users.save(by('a'), 9, { email: 'ann@example.com' })
    await store.users.save(by('a'), 8, { email: 'ann@example.com' })
    expect(await store.users.findByEmail('a', 'ann@example.com')).toMatchObject({ id: 8 })
    expect(await store.users.findByEmail('a', 'Ann@example.com')).toBeNull()
  })

  test('a created user gets a free id from 2^52 up', async () => {
    const details = { email: null, displayName: 'Ann' }
    const first = await store.users.create('a', details)
    await store.users.save(by('a'), first.id + 1, { displayName: 'in the way' })
    const second = await store.users.create('a', details)
    expect(first).toEqual({ id: first.id, ...details })
    expect(first.id).toBeGreaterThanOrEqual(2 ** 52)
    expect(second.id).toBe(first.id + 2)
    expect(await store.users.findByIds('a', [first.id + 1])).toMatchObject([{ displayName: 'in the way' }])
  })

  test('an account is made once', async () => {
    expect(await store.accounts.isEmpty()).toBe(true)
    expect(await store.accounts.ensure('a')).toBe(true)
    expect(await store.accounts.ensure('a')).toBe(false)
    expect(await store.accounts.isEmpty()).toBe(false)
  })
})

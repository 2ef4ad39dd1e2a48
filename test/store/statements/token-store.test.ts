import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import type { NewApiToken } from '../../../src/domain/directory/token-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readClock } from '../idempotency/read-clock.ts'

eachStore(harness => {
  let store: Store
  beforeEach(async () => {
    store = await harness.open()
    await store.users.save(by('a'), 7, { email: 'ann@example.com', displayName: 'Ann' })
    await store.users.save(by('b'), 7, {})
  })

  const ofAnn = (secret: string): NewApiToken => ({
    accountCode: 'a',
    userId: 7,
    label: 'laptop',
    scopes: ['memberships:read', 'tasks:execute'],
    sha256: hashToken(secret),
  })

  test('a token is found by its hash, with its user and scopes', async () => {
    const url = await harness.freshUrl()
    const { users, tokens } = await harness.open({ url })
    await users.save(by('a'), 7, { email: 'ann@example.com', displayName: 'Ann' })
    const before = await readClock(url)
    const made = await tokens.create(ofAnn('one'))
    expect(made).toMatchObject({
      accountCode: 'a',
      userId: 7,
      email: 'ann@example.com',
      displayName: 'Ann',
      label: 'laptop',
      scopes: ['memberships:read', 'tasks:execute'],
      revokedAt: null,
      expiresAt: null,
      lastUsedOn: null,
    })
    expect(made.createdAt.getTime()).toBeGreaterThanOrEqual(Math.floor(before))
    expect(made.createdAt.getTime()).toBeLessThanOrEqual(Math.ceil(await readClock(url)))
    const sha256 = hashToken('one')
    expect(await tokens.findBySha256(sha256)).toEqual([{ ...made, sha256 }])
    expect(await tokens.findBySha256(hashToken('two'))).toEqual([])
  })

  test('a revoked token is not found, and is revoked once', async () => {
    const { id } = await store.tokens.create(ofAnn('one'))
    expect(await store.tokens.revoke(id)).toBe(true)
    expect(await store.tokens.findBySha256(hashToken('one'))).toEqual([])
    expect(await store.tokens.revoke(id)).toBe(false)
    expect(await store.tokens.revoke(id + 1)).toBe(false)
    expect((await store.tokens.list('a'))[0]?.revokedAt).toBeInstanceOf(Date)
  })

  test('a token keeps the time at which it expires', async () => {
    const expiresAt = new Date('2027-02-01T00:00:00.123Z')
    const made = await store.tokens.create({ ...ofAnn('one'), expiresAt })
    expect(made.expiresAt).toEqual(expiresAt)
    expect(await store.tokens.list('a')).toEqual([made])
    expect(await store.tokens.findBySha256(hashToken('one'))).toMatchObject([{ expiresAt }])
  })

  test('the day of the last use is that of the latest one, for the tokens that are named', async () => {
    const [one, two, three] = [
      await store.tokens.create(ofAnn('one')),
      await store.tokens.create(ofAnn('two')),
      await store.tokens.create(ofAnn('three')),
    ]
    await store.tokens.noteUses('2027-01-31', [one.id, two.id, three.id + 1])
    await store.tokens.noteUses('2027-02-01', [two.id])
    await store.tokens.noteUses('2027-01-30', [one.id, two.id])
    const days = (await store.tokens.list('a')).map(({ lastUsedOn }) => lastUsedOn)
    expect(days).toEqual(['2027-01-31', '2027-02-01', null])
    const [found] = await store.tokens.findBySha256(hashToken('one'))
    expect(found?.lastUsedOn).toBe('2027-01-31')
  })

  test('a token may have no scope and no label', async () => {
    const made = await store.tokens.create({ ...ofAnn('one'), scopes: [], label: null })
    expect(made).toMatchObject({ scopes: [], label: null })
  })

  test('tokens are listed by account or all, oldest first', async () => {
    const first = await store.tokens.create(ofAnn('one'))
    const second = await store.tokens.create({ ...ofAnn('two'), accountCode: 'b' })
    const third = await store.tokens.create(ofAnn('three'))
    expect(await store.tokens.list('a')).toEqual([first, third])
    expect(await store.tokens.list(null)).toEqual([first, second, third])
    expect(await store.tokens.list('c')).toEqual([])
  })

  test('the change mark changes after every change of a token or user, by any process', async () => {
    const url = await harness.freshUrl()
    const [own, other] = [await harness.open({ url }), await harness.open({ url })]
    if (harness.engine === 'PostgreSQL') return expect(own.tokens.changeMark()).toBeNull()
    let last = own.tokens.changeMark()
    for (const changed of [own, other, own, other]) {
      for (const change of [
        () => changed.users.save(by('a'), 7, { email: 'ann@example.com' }),
        () => changed.tokens.create(ofAnn('one')),
        async () => changed.tokens.revoke((await changed.tokens.list(null)).at(-1)?.id ?? 0),
      ]) {
        await change()
        // What another connection changes shows in the next turn.
        if (changed === other) await nextTurn()
        expect(own.tokens.changeMark()).not.toBe(last)
        last = own.tokens.changeMark()
        await own.tokens.list(null)
        await nextTurn()
        expect(own.tokens.changeMark()).toBe(last)
      }
    }
  })

  test('a token of a user of another account cannot be made', async () => {
    await store.users.save(by('a'), 8, {})
    await expect(store.tokens.create({ ...ofAnn('one'), accountCode: 'b', userId: 8 })).rejects.toThrow()
    expect(await store.tokens.list(null)).toEqual([])
  })
})

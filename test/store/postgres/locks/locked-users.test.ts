import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/store/open-store.ts'
import { createDatabase } from '../../databases/create-database.ts'
import { by } from '../../databases/origin.ts'
import { holdLocks } from './hold-locks.ts'

test('saves of a user that wait for its row leave a connection to reads of the account', async () => {
  const url = await createDatabase()
  const store = await openStore({ url })
  onTestFinished(() => store.close())
  const user = { id: 1, email: null, displayName: 'before' }
  await store.users.save(by('a'), 1, user)
  const held = await holdLocks(url, 'select from users where id = 1 for update')
  const saves = Array.from({ length: 20 }, () => store.users.save(by('a'), 1, { displayName: 'after' }))
  await held.untilAwaited()
  expect(await store.users.findByIds('a', [1])).toEqual([user])
  await held.commit()
  for (const saved of await Promise.all(saves)) expect(saved).toEqual({ ...user, displayName: 'after' })
})

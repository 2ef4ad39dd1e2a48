import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RostrumError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { keepDoing } from '../../server/clients/keep-doing.ts'
import { by } from '../databases/origin.ts'
import { type PostgresServer, startPostgres } from '../databases/postgres.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('a server that restarts five times under load is used again at once, and each answer is right', async () => {
  const store = await openStore({ url: await server.createDatabase() })
  let lastUserId = 0
  const seen = { answered: 0, refused: 0, mixed: 0 }

  const changing = keepDoing(async () => {
    lastUserId += 1
    const userId = lastUserId
    const step = userId % 2 === 0 ? { key: `key ${userId}`, number: 1 } : null
    try {
      const result = await store.memberships.add({ ...by('a'), step }, { userId, teamId: 1 })
      seen.answered += 1
      if (result.kind !== 'added' || result.membership.userId !== userId) seen.mixed += 1
    } catch (error) {
      expect(error).toBeInstanceOf(RostrumError)
      seen.refused += 1
    }
  }, 40)
  for (let restart = 1; restart <= 5; restart += 1) {
    await sleep(400)
    await server.restart(() => sleep(200))
  }
  await sleep(400)
  const before = seen.answered
  await sleep(1_000)
  const inOneSecond = seen.answered - before
  await changing.stop()
  process.stdout.write(
    `5 restarts: ${seen.answered} changes answered, ${seen.refused} refused; ${inOneSecond} in the second after\n`,
  )
  expect(seen.mixed).toBe(0)
  expect(seen.refused).toBeGreaterThan(0)
  expect(inOneSecond).toBeGreaterThan(0)
  await store.close()
})

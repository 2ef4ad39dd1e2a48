import { expect, onTestFinished, test } from 'vitest'
import { createCalls } from '../../../src/store/postgres/connection/calls.ts'
import { createPool } from '../../../src/store/postgres/connection/pool.ts'
import { shares } from '../../../src/store/postgres/connection/shares.ts'

// Nothing is sent, so no connection is opened.
function startCalls() {
  const pool = createPool({ url: 'postgres://nobody@127.0.0.1:1/none', onStatement: undefined })
  onTestFinished(() => pool.close())
  return createCalls(pool)
}

const partsOfGateway = Object.values(shares).flatMap(share => [`(${share.description})`, String(share)])

test('an account named like a part of the gateway has the calls of an account', async () => {
  const { bound } = startCalls()
  for (const account of ['a', ...partsOfGateway]) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const calls = Array.from({ length: 2_000 }, () => bound(account, () => promise))
    await expect(bound(account, () => promise)).rejects.toMatchObject({ code: 'OVERLOADED' })
    await bound(null, async () => undefined)
    await bound(shares.unknownTokens, async () => undefined)
    resolve()
    await Promise.all(calls)
  }
})

test('an account named like the gateway takes no turn of its changes', async () => {
  const { withAccountSlot } = startCalls()
  const { promise, resolve } = Promise.withResolvers<void>()
  const changes = ['(gateway)', 'Symbol(gateway)'].flatMap(account =>
    Array.from({ length: 8 }, () => withAccountSlot(account, () => promise)),
  )
  expect(await withAccountSlot(shares.gateway, async () => 'done')).toBe('done')
  resolve()
  await Promise.all(changes)
})

import { expect, test } from 'vitest'
import { CaseTurns } from '../../../src/domain/cases/case-turns.ts'

const asked = {
  accountCode: 'a',
  id: 1,
  deadline: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
}
const soon = () => performance.now() + 20

test('turns of one case come one after the other, in order; those of others at once', async () => {
  const turns = new CaseTurns()
  const first = await turns.take({ ...asked, deadline: soon() })
  const order: number[] = []
  const waiting = [2, 3].map(async place => {
    const turn = await turns.take({ ...asked, deadline: soon() + 10_000 })
    order.push(place)
    turn.end()
    return turn.hasWaited
  })
  expect((await turns.take({ ...asked, id: 2 })).hasWaited).toBe(false)
  expect((await turns.take({ ...asked, accountCode: 'b' })).hasWaited).toBe(false)
  expect(order).toEqual([])
  first.end()
  expect(await Promise.all(waiting)).toEqual([true, true])
  expect([first.hasWaited, order]).toEqual([false, [2, 3]])
  expect((await turns.take(asked)).hasWaited).toBe(false)
})

test('a wait ends at its deadline or with its client, and the next one gets its turn', async () => {
  const turns = new CaseTurns()
  const first = await turns.take(asked)
  const client = new AbortController()
  const late = turns.take({ ...asked, deadline: soon() })
  const gone = turns.take({ ...asked, deadline: soon() + 10_000, signal: client.signal })
  const next = turns.take({ ...asked, deadline: soon() + 10_000 })
  client.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  await expect(late).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 1 })
  first.end()
  expect((await next).hasWaited).toBe(true)
})

test('256 saves of an account may wait', async () => {
  const turns = new CaseTurns()
  const deadline = soon() + 10_000
  const first = await turns.take(asked)
  const waiting = Array.from({ length: 256 }, () => turns.take({ ...asked, deadline }))
  await expect(turns.take({ ...asked, deadline })).rejects.toMatchObject({ code: 'OVERLOADED' })
  await turns.take({ ...asked, id: 2, accountCode: 'b' })
  first.end()
  for (const turn of waiting) (await turn).end()
  expect((await turns.take(asked)).hasWaited).toBe(false)
})

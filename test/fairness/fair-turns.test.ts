import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairTurns } from '../../src/fairness/fair-turns.ts'

// All ask within one turn of the event loop. Gives the order in which they got their turns, after those in `served`.
async function ask(turns: FairTurns, names: readonly string[], served: string[] = []): Promise<string[]> {
  await Promise.all(
    names.map(async name => {
      await turns.take(name.slice(0, 1))
      served.push(name)
    }),
  )
  return served
}

test('a request that comes alone has its turn at once', async () => {
  const turns = new FairTurns(10)
  let hasTurn = false
  void turns.take('a').then(() => {
    hasTurn = true
  })
  await Promise.resolve()
  await Promise.resolve()
  expect(hasTurn).toBe(true)
})

test('accounts take turns, and within one first come is first served', async () => {
  const turns = new FairTurns(10, () => 0)
  expect(await ask(turns, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])).toEqual([
    'a1',
    'a2',
    'b1',
    'c1',
    'a3',
    'b2',
    'a4',
  ])
})

test('one that comes late waits for one turn of each other account, not for all that wait', async () => {
  const turns = new FairTurns(100)
  const served: string[] = []
  const flood = Array.from({ length: 50 }, (_, n) => ask(turns, [`a${n}`], served))
  await nextTurn()
  await nextTurn()
  const before = served.length
  await ask(turns, ['b1'], served)
  // Its place and not their number: a machine that stood still is made up for by many turns at once.
  expect(served.indexOf('b1') - before).toBeLessThanOrEqual(1)
  await Promise.all(flood)
})

test('an account has its own maximum of active requests, and a free slot after each end', async () => {
  const turns = new FairTurns(2)
  await ask(turns, ['a1', 'a2', 'b1'])
  await expect(turns.take('a')).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 1 })
  await turns.take('b')
  turns.end('a')
  await turns.take('a')
  await expect(turns.take('a')).rejects.toMatchObject({ code: 'OVERLOADED' })
})

test('a long request leaves the event loop to others before the next begins', async () => {
  const turns = new FairTurns(10)
  let loopTurns = 0
  let isOver = false
  const count = () => {
    loopTurns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begunIn: number[] = []
  await Promise.all(
    ['a', 'a', 'a', 'b', 'b'].map(async account => {
      await turns.take(account)
      begunIn.push(loopTurns)
      const endsAt = performance.now() + 3
      while (performance.now() < endsAt);
    }),
  )
  isOver = true
  expect(new Set(begunIn).size).toBe(5)
})

test('a turn that takes long counts as many, so that a flood of long ones does not hold up short ones', async () => {
  let clock = 0
  const turns = new FairTurns(1_000, () => clock)
  const served: string[] = []
  const work = async (name: string, ms: number) => {
    await turns.take(name.slice(0, 1))
    served.push(name)
    clock += ms
  }
  const long = Array.from({ length: 10 }, (_, n) => work(`a${n}`, 20))
  const short = Array.from({ length: 30 }, (_, n) => work(`b${n}`, 0))
  await Promise.all([...long, ...short])
  // The first is at once and the second in its turn. While the event loop looks for more before the next long one,
  // short ones go on.
  const places = served.flatMap((name, place) => (name.startsWith('a') ? [place] : []))
  expect(places).toEqual([0, 1, 32, 33, 34, 35, 36, 37, 38, 39])
})

test.each([2, 20])('before a turn that may take %i ms, the event loop looks for other requests', async ms => {
  let clock = 0
  const turns = new FairTurns(1_000, () => clock)
  const served: string[] = []
  // As a request is: accepted, read and answered in turns of the event loop that follow each other.
  async function request() {
    for (let look = 0; look < 3; look++) await nextTurn()
    await turns.take('b')
    await nextTurn()
    served.push('b')
  }
  const long = Array.from({ length: 12 }, async () => {
    await turns.take('a')
    served.push('a')
    clock += ms
    if (served.length === 3) void request()
  })
  await Promise.all(long)
  expect(served.indexOf('b')).toBeLessThanOrEqual(4)
})

test('the use of an account is forgotten when 10,000 others have used turns since', async () => {
  let clock = 0
  const turns = new FairTurns(1_000, () => clock)
  const served: string[] = []
  const work = async (account: string, ms = 0) => {
    await turns.take(account)
    served.push(account)
    clock += ms
  }
  void work('first')
  const long = work('long', 1_000)
  const flood = Array.from({ length: 600 }, () => work('flood'))
  await long
  for (let other = 0; other < 10_000; other += 100)
    await Promise.all(Array.from({ length: 100 }, (_, n) => work(`other ${other + n}`)))
  await work('long')
  expect(served.filter(account => account === 'flood').length).toBeLessThan(600)
  await Promise.all(flood)
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairTurns } from '../../src/fairness/fair-turns.ts'

// A clock that only the work moves.
function startTurns() {
  let clock = 0
  const turns = new FairTurns(2_000, () => clock)
  const served: string[] = []
  const work = async (account: string, ms = 0) => {
    await turns.take(account)
    served.push(account)
    clock += ms
  }
  const many = (account: string, count: number, ms = 0) =>
    Array.from({ length: count }, () => work(account, ms))
  const pass = (ms: number) => {
    clock += ms
  }
  return { turns, served, work, many, pass }
}

test('of two accounts with long turns, each gets the same time', async () => {
  const { served, many } = startTurns()
  await Promise.all([...many('a', 4, 20), ...many('b', 16, 5)])
  expect(served.join('')).toMatch(/^a+b{4,5}ab{4}ab{4}a?b*a?$/)
})

test('an account that asked for little before gets no more turns than another one later', async () => {
  const { served, work, many } = startTurns()
  const flood = many('a', 200)
  await work('b')
  while (served.length < 100) await nextTurn()
  const from = served.length
  await Promise.all(many('b', 10))
  expect(served.slice(from).lastIndexOf('b')).toBeGreaterThanOrEqual(18)
  await Promise.all(flood)
})

test('when nothing waits any more, what accounts have used is forgotten', async () => {
  const { served, many } = startTurns()
  await Promise.all(many('a', 3, 20))
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  served.splice(0)
  await Promise.all([...many('c', 1), ...many('b', 3), ...many('a', 3)])
  expect(served.join('')).toBe('cbababa')
})

test('an account whose last turn was short waits for no more looks', async () => {
  const { served, work, many } = startTurns()
  const all = [work('a'), work('a', 20), work('a'), ...many('a', 60)]
  while (served.length < 3) await nextTurn()
  let turns = 0
  for (; served.length < 60; turns++) await nextTurn()
  expect(turns).toBeLessThan(10)
  await Promise.all(all)
})

test('a turn that may be long begins no round in which short ones came before it', async () => {
  const { served, many } = startTurns()
  await Promise.all([...many('a', 3, 1_000), ...many('b', 1_500)])
  // It is the next one after a thousand short ones, and then waits for four rounds of 64.
  expect(served.indexOf('a', 2)).toBeGreaterThan(1_200)
})

test('before a long turn, new connections are waited for, but for 10 ms at most', async () => {
  const { turns, served, many, pass } = startTurns()
  const all = many('a', 3, 5)
  while (served.length < 2) await nextTurn()
  const connect = async () => {
    for (let look = 0; look < 20; look++) {
      turns.expectMore()
      await nextTurn()
    }
    return served.length
  }
  expect(await connect()).toBe(2)
  pass(10)
  expect(await connect()).toBe(3)
  await Promise.all(all)
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LongWork } from '../../src/fairness/long-work.ts'
import { Places } from '../../src/fairness/places.ts'

const { signal: never } = new AbortController()
const workOf = (places: Places, accountCode: string, signal = never) =>
  new LongWork({ places, accountCode, nextTurn: () => nextTurn(), readSignal: () => signal })

test('one change of an account goes on at a time, each step in a later turn', async () => {
  const places = new Places({ each: 1 })
  const steps: string[] = []
  const change = async (name: string, account = 'a') => {
    const work = workOf(places, account)
    for (const step of [1, 2]) {
      await work.step()
      steps.push(`${name}${step}`)
    }
    return work
  }
  const first = change('first')
  const second = change('second')
  await change('other', 'b')
  await nextTurn()
  expect(steps.toSorted()).toEqual(['first1', 'first2', 'other1', 'other2'])
  const work = await first
  work.pause()
  const next = await second
  expect(steps.slice(-2)).toEqual(['second1', 'second2'])
  next.pause()
  await work.step()
  work.pause()
  work.pause()
  await change('last')
})

test('a change that paused takes a place again for its next step', async () => {
  const places = new Places({ each: 1 })
  const [first, second] = [workOf(places, 'a'), workOf(places, 'a')]
  await first.step()
  first.pause()
  await second.step()
  let hasStepped = false
  const step = first.step().then(() => {
    hasStepped = true
  })
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  expect(hasStepped).toBe(false)
  second.pause()
  await step
})

test('a change whose client disconnects waits no longer, begins no step and leaves its place', async () => {
  const places = new Places({ each: 1 })
  const client = new AbortController()
  const gone = new Error('gone')
  const [first, waiting] = [workOf(places, 'a', client.signal), workOf(places, 'a', client.signal)]
  await first.step()
  const step = waiting.step()
  client.abort(gone)
  await expect(step).rejects.toBe(gone)
  await expect(first.step()).rejects.toBe(gone)
  first.pause()
  await workOf(places, 'a').step()
})

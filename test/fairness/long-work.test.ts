import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LongWork } from '../../src/fairness/long-work.ts'
import { Places } from '../../src/fairness/places.ts'

test('one change of an account goes on at a time, each step in a later turn', async () => {
  const places = new Places({ each: 1 })
  const steps: string[] = []
  const change = async (name: string, account = 'a') => {
    const work = new LongWork(places.placeFor(account), () => nextTurn())
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

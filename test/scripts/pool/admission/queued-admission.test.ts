import { afterEach, expect, test } from 'vitest'
import { until } from '../../../server/processes/until.ts'
import { closeAdmissions, giveBack, startAdmission } from './start-admission.ts'

afterEach(closeAdmissions)

const queued = (admission: Awaited<ReturnType<typeof startAdmission>>['admission'], accountCode = 'a') =>
  admission.acquire({
    accountCode,
    nested: false,
    queued: true,
    deadline: performance.now() + 60_000,
    signal: new AbortController().signal,
  })

test('queued runs take at most half of the sandboxes, and are refused at once past it', async () => {
  const { admission, pool } = await startAdmission({ max: 4 })
  await until(() => pool.idle === 4)
  expect(admission.forQueued.free()).toBe(2)
  const first = await queued(admission)
  await queued(admission, 'b')
  expect(admission.forQueued.free()).toBe(0)
  await expect(queued(admission, 'c')).rejects.toMatchObject({ code: 'OVERLOADED' })
  first.sandbox.vacate()
  first.release()
  await until(() => admission.forQueued.free() === 1)
})

// A run that is stopped before it begins releases its sandbox early, and again like every other run.
test('a queued run that releases its sandbox twice gives it back once', async () => {
  const { admission, pool } = await startAdmission({ max: 4 })
  await until(() => pool.idle === 4)
  const run = await queued(admission)
  giveBack(run)
  run.release()
  expect(admission.forQueued.free()).toBe(2)
})

test('the last sandbox of that half is left to an account without a queued run', async () => {
  const { admission, pool } = await startAdmission({ max: 8 })
  await until(() => pool.idle === 8)
  const held = [await queued(admission), await queued(admission), await queued(admission)]
  expect(admission.forQueued.freeOf('a')).toBe(0)
  expect(admission.forQueued.fullAccounts()).toEqual(['a'])
  await expect(queued(admission)).rejects.toMatchObject({ code: 'OVERLOADED' })
  expect([admission.forQueued.free(), admission.forQueued.freeOf('b')]).toEqual([1, 1])
  giveBack(await queued(admission, 'b'))
  for (const run of held) giveBack(run)
  expect(admission.forQueued.freeOf('a')).toBe(3)
})

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 1],
  [6, 2],
  [16, 7],
])('of %i sandboxes, queued runs of one account hold %i', async (max, share) => {
  const { admission, pool } = await startAdmission({ max })
  await until(() => pool.idle === max)
  expect(admission.forQueued.freeOf('a')).toBe(share)
  for (let held = 0; held < share; held++) await queued(admission)
  await expect(queued(admission)).rejects.toMatchObject({ code: 'OVERLOADED' })
})

test('other runs of an account count to what its queued runs may hold', async () => {
  const { admission, pool, ask } = await startAdmission({ max: 4 })
  for (const run of [ask('a'), ask('a')]) await run
  await until(() => pool.idle === 2)
  expect(admission.forQueued.fullAccounts()).toEqual(['a'])
  await expect(queued(admission)).rejects.toMatchObject({ code: 'OVERLOADED' })
  await queued(admission, 'b')
})

test('one sandbox can serve a queued run', async () => {
  const { admission } = await startAdmission({ max: 1 })
  expect(admission.forQueued.free()).toBe(1)
})

test('a queued run is refused while another run waits', async () => {
  const { admission, ask } = await startAdmission({ max: 2 })
  await until(() => admission.forQueued.free() === 1)
  const held = [await ask('a'), await ask('b')]
  const waits = ask('c')
  expect(admission.forQueued.free()).toBe(0)
  await expect(queued(admission, 'd')).rejects.toMatchObject({ code: 'OVERLOADED' })
  for (const { sandbox, release } of held) {
    sandbox.vacate()
    release()
  }
  await waits
})

test('a freed sandbox is announced for queued runs', async () => {
  const { admission, ask } = await startAdmission({ max: 1 })
  let announced = 0
  admission.forQueued.onFree(() => {
    announced += 1
  })
  const { sandbox, release } = await ask('a')
  expect(admission.forQueued.free()).toBe(0)
  sandbox.vacate()
  release()
  await until(() => announced > 0)
  expect(admission.forQueued.free()).toBe(1)
})

test('of a flood of other runs, one queued run a second gets a sandbox', async () => {
  let now = 0
  const { admission, pool, ask, waiting } = await startAdmission({ max: 2, readMs: () => now })
  await until(() => pool.idle === 2)
  const [first, second] = [await ask('a'), await ask('b')]
  const others = [ask('d'), ask('e')]
  admission.forQueued.grow()
  now = 999
  giveBack(first)
  const third = await others[0]
  expect(admission.forQueued.free()).toBe(0)

  now = 1_000
  giveBack(second)
  expect(waiting()).toBe(1)
  expect(admission.forQueued.free()).toBe(1)
  const run = await queued(admission, 'c')
  expect(admission.forQueued.free()).toBe(0)
  giveBack(run)
  await others[1]
  if (third !== undefined) giveBack(third)
})

test('a sandbox that was left to a queued run goes to another one if none comes', async () => {
  let now = 0
  const { admission, ask, waiting } = await startAdmission({ max: 1, readMs: () => now })
  const held = await ask('a')
  admission.forQueued.grow()
  now = 1_000
  giveBack(held)
  const waits = ask('b')
  expect(waiting()).toBe(1)
  giveBack(await waits)

  admission.forQueued.grow()
  now = 8_000
  expect(await ask('b')).toBeDefined()
})

test('a sandbox that was left to a queued run goes to another one at once when no queued run is due', async () => {
  let now = 0
  const { admission, ask } = await startAdmission({ max: 1, readMs: () => now })
  const held = await ask('a')
  admission.forQueued.want(true)
  now = 1_000
  giveBack(held)
  const waits = ask('b')
  expect(admission.waiting).toBe(1)
  admission.forQueued.want(false)
  expect(admission.waiting).toBe(0)
  giveBack(await waits)
})

test('of a flood of its own requests, an account gets one queued run a second', async () => {
  let now = 0
  const { admission, pool, ask, waiting } = await startAdmission({ max: 4, readMs: () => now })
  await until(() => pool.idle === 4)
  const held = [await ask('a'), await ask('a')]
  const others = [ask('a'), ask('a')]
  admission.forQueued.grow()
  now = 1_000
  for (const run of held.splice(0, 1)) giveBack(run)
  expect(waiting()).toBe(2)
  expect(admission.forQueued.freeOf('a')).toBe(1)
  giveBack(await queued(admission))
  await Promise.race(others)
})

test('a place of its share that an account leaves to a queued run is taken again if none comes', async () => {
  let now = 0
  const { admission, pool, ask } = await startAdmission({ max: 4, readMs: () => now })
  await until(() => pool.idle === 4)
  const held = await ask('a')
  await ask('a')
  admission.forQueued.grow()
  now = 1_000
  giveBack(held)
  expect(await ask('a')).toBeDefined()
})

test('a run inside a run does not wait for the queued run to which a new sandbox is left', async () => {
  let now = 0
  const { admission, pool, ask } = await startAdmission({ max: 2, warm: 1, readMs: () => now })
  await ask('a')
  await until(() => pool.states.starting === 0)
  admission.forQueued.want(true)
  now = 1_000
  const nested = await ask('a', { nested: true })
  giveBack(nested)
  // The queued run has waited meanwhile, so the sandbox is still left to it.
  void ask('b')
  expect(admission.waiting).toBe(1)
})

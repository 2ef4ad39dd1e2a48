import { expect, test } from 'vitest'
import { until } from '../server/until.ts'
import { startAdmission } from './start-admission.ts'

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
  expect(admission.freeForQueued()).toBe(2)
  const first = await queued(admission)
  await queued(admission, 'b')
  expect(admission.freeForQueued()).toBe(0)
  await expect(queued(admission, 'c')).rejects.toMatchObject({ code: 'OVERLOADED' })
  first.sandbox.vacate()
  first.release()
  await until(() => admission.freeForQueued() === 1)
})

test('one sandbox can serve a queued run', async () => {
  const { admission } = await startAdmission({ max: 1 })
  expect(admission.freeForQueued()).toBe(1)
})

test('a queued run is refused while another run waits', async () => {
  const { admission, ask } = await startAdmission({ max: 2 })
  await until(() => admission.freeForQueued() === 1)
  const held = [await ask('a'), await ask('b')]
  const waits = ask('c')
  expect(admission.freeForQueued()).toBe(0)
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
  admission.onFreeForQueued(() => {
    announced += 1
  })
  const { sandbox, release } = await ask('a')
  expect(admission.freeForQueued()).toBe(0)
  sandbox.vacate()
  release()
  await until(() => announced > 0)
  expect(admission.freeForQueued()).toBe(1)
})

import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAdmissions, giveBack, refusal, startAdmission } from './start-admission.ts'

afterEach(closeAdmissions)

describe('a waiting run', () => {
  test('is refused after the longest wait, and leaves the queue', async () => {
    const { ask, waiting } = await startAdmission({ max: 1, waitMs: 150 })
    const held = await ask('a')
    expect(await refusal(ask('b'))).toMatchObject({
      code: 'OVERLOADED',
      message: 'No sandbox became free within 150 ms. Try again in 1 s.',
      retryAfterSeconds: 1,
    })
    expect(waiting()).toBe(0)
    giveBack(held)
    giveBack(await ask('b'))
  })

  test('does not wait past its own deadline', async () => {
    const { ask, waiting } = await startAdmission({ max: 1, waitMs: 600_000 })
    await ask('a')
    const now = performance.now()
    expect(await refusal(ask('b', { deadline: now + 100 }))).toMatchObject({ code: 'OVERLOADED' })
    expect(await refusal(ask('b', { deadline: now }))).toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(0)
  })

  test('leaves the queue when its caller disconnects, and rejects with the reason', async () => {
    const { ask, waiting } = await startAdmission({ max: 1 })
    const held = await ask('a')
    const controller = new AbortController()
    const gone = new Error('disconnected')
    const asked = refusal(ask('b', { signal: controller.signal }))
    const next = ask('b')
    expect(waiting()).toBe(2)
    controller.abort(gone)
    expect(await asked).toBe(gone)
    expect(waiting()).toBe(1)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    giveBack(held)
    giveBack(await next)
    giveBack(await ask('c'))
  })

  test('leaves no listener when it is admitted or refused', async () => {
    const { ask } = await startAdmission({ max: 1, waitMs: 50 })
    const { signal } = new AbortController()
    const held = await ask('a', { signal })
    await refusal(ask('a', { signal }))
    const asked = ask('a', { signal })
    giveBack(held)
    giveBack(await asked)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('whose caller disconnected before takes nothing', async () => {
    const { ask } = await startAdmission({ max: 1 })
    const gone = new Error('disconnected')
    expect(await refusal(ask('a', { signal: AbortSignal.abort(gone) }))).toBe(gone)
    giveBack(await ask('a'))
  })

  test('whose caller disconnects during its turn takes nothing from the others', async () => {
    const { ask } = await startAdmission({ max: 1 })
    for (let i = 0; i < 20; i++) {
      const held = await ask('a')
      const controller = new AbortController()
      const asked = ask('b', { signal: controller.signal })
      giveBack(held)
      controller.abort()
      // Its turn came first, so it gets the sandbox and returns it.
      giveBack(await asked)
    }
    giveBack(await ask('c'))
  })

  test('is refused when the gateway stops', async () => {
    const { ask, admission, waiting } = await startAdmission({ max: 1 })
    await ask('a')
    const asked = [refusal(ask('a')), refusal(ask('b'))]
    admission.close()
    for (const error of await Promise.all(asked)) expect(error).toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(0)
  })
})

describe('the queue', () => {
  test('has a limit for the runs of one account, and says when to retry', async () => {
    const { ask } = await startAdmission({ max: 1, accountRuns: 2, waitMs: 2_500 })
    await ask('a')
    for (let i = 0; i < 2; i++) void refusal(ask('a'))
    expect(await refusal(ask('a'))).toMatchObject({
      code: 'OVERLOADED',
      message: '2 runs of this account are waiting already, the maximum. Try again in 3 s.',
      retryAfterSeconds: 3,
    })
    void refusal(ask('b'))
  })

  test('has a limit for all runs', async () => {
    const { ask, waiting } = await startAdmission({ max: 1, runs: 3, waitMs: 5_000 })
    await ask('a')
    for (const account of ['a', 'b', 'c']) void refusal(ask(account))
    expect(await refusal(ask('d'))).toMatchObject({
      code: 'OVERLOADED',
      message: '3 runs are waiting already, the maximum. Try again in 5 s.',
    })
    expect(waiting()).toBe(3)
  })

  test('if full, evicts the last run of the account with the most for one with fewer', async () => {
    const { ask, waiting } = await startAdmission({ max: 1, runs: 6, waitMs: 5_000 })
    const held = await ask('holder')
    const order: string[] = []
    const asked = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map(async name => {
      const admitted = await ask(name.slice(0, 1)).finally(() => order.push(name))
      giveBack(admitted)
    })
    const gaveWay = refusal(asked[3] as Promise<never>)
    const late = ask('c').finally(() => order.push('c1'))
    expect(await gaveWay).toMatchObject({
      code: 'OVERLOADED',
      message: '6 runs are waiting, most of them of this account; this one was evicted. Try again in 5 s.',
      retryAfterSeconds: 5,
    })
    expect(waiting()).toBe(6)
    // No run is evicted for an account that already has the most.
    expect(await refusal(ask('a'))).toMatchObject({
      message: expect.stringMatching(/^6 runs are waiting already/),
    })
    giveBack(held)
    giveBack(await late)
    await Promise.all(asked.toSpliced(3, 1))
    expect(order).toEqual(['a4', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('if full, reserves a slot for another account and evicts nobody before its run arrives', async () => {
    const { ask, admission, waiting } = await startAdmission({ max: 1, runs: 4 })
    await ask('holder')
    for (let i = 0; i < 4; i++) void refusal(ask('a'))
    admission.reserveSlot('b')
    expect(waiting()).toBe(4)
    expect(() => admission.reserveSlot('a')).toThrow(/4 runs are waiting already/)
  })

  test('of length zero still gives runs idle and new sandboxes', async () => {
    const { ask } = await startAdmission({ max: 2, warm: 1, runs: 0, accountRuns: 0 })
    const held = [await ask('a'), await ask('b')]
    expect(await refusal(ask('a'))).toMatchObject({ code: 'OVERLOADED' })
    for (const admitted of held) giveBack(admitted)
    giveBack(await ask('a'))
  })
})

describe('a reserved slot', () => {
  test('counts for its account until it is released, once', async () => {
    const { admission } = await startAdmission({ max: 1, accountRuns: 2 })
    const full = /2 runs of this account are waiting already/
    // One run would get the sandbox and two would wait.
    const release = admission.reserveSlot('a')
    admission.reserveSlot('a')
    admission.reserveSlot('a')
    expect(() => admission.reserveSlot('a')).toThrow(full)
    admission.reserveSlot('b')
    release()
    release()
    admission.reserveSlot('a')
    expect(() => admission.reserveSlot('a')).toThrow(full)
  })

  test('counts with the waiting runs of its account and of all', async () => {
    const { ask, admission } = await startAdmission({ max: 1, accountRuns: 2, runs: 4 })
    const held = await ask('a')
    const waiting = [ask('a'), ask('b')]
    admission.reserveSlot('a')
    expect(() => admission.reserveSlot('a')).toThrow(/2 runs of this account are waiting already/)
    admission.reserveSlot('b')
    giveBack(held)
    for (const asked of waiting) giveBack(await asked)
  })
})

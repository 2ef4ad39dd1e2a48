import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Admitted } from '../../../../src/scripts/pool/admission.ts'
import { until } from '../../../server/processes/until.ts'
import { listen, runMessage } from '../../launch/start-sandbox.ts'
import { callLine, exitLine, ready, type Speech } from '../../run/spoken-tasks.ts'
import { closeAdmissions, giveBack, startAdmission } from './start-admission.ts'

afterEach(closeAdmissions)
afterEach(() => void vi.restoreAllMocks())

/** Four sandboxes, of which two may compute at once for an account that holds one. */
async function startFour(speech?: Speech) {
  const started = await startAdmission({ max: 8, warm: 4, computing: 2, ...(speech && { speech }) })
  await until(() => started.pool.idle === 4)
  return started
}

function begin({ sandbox }: Admitted) {
  const { listener, over } = listen()
  sandbox.begin({ ...runMessage('exit(1)'), accountCode: 'a' }, listener)
  return over
}

describe('the account with as many computing runs as processors', () => {
  test('waits for one of them to end, however many sandboxes are idle', async () => {
    const { ask, pool, waiting } = await startFour()
    const [first] = await Promise.all([ask('a'), ask('a')])
    const third = ask('a')
    expect([waiting(), pool.idle]).toEqual([1, 2])
    giveBack(first)
    expect((await third).sandbox).toBe(first.sandbox)
  })

  test('does not keep another account from a sandbox, but its second one waits too', async () => {
    const { ask, waiting } = await startFour()
    await Promise.all([ask('a'), ask('a')])
    await ask('b')
    void ask('b')
    expect(waiting()).toBe(1)
  })

  test('begins another run at once if one of them waits for a call', async () => {
    const { ask } = await startFour({ onRun: [callLine(1, 'r')] })
    const [first] = await Promise.all([ask('a'), ask('a')])
    const third = ask('a')
    void begin(first)
    expect((await third).sandbox).not.toBe(first.sandbox)
  })

  test('begins another run if one of them computes for long', async () => {
    const { ask } = await startFour({})
    const [first] = await Promise.all([ask('a'), ask('a')])
    void begin(first)
    expect((await ask('a')).sandbox).not.toBe(first.sandbox)
  })

  test('begins a run inside a run at once', async () => {
    const { ask } = await startFour()
    await Promise.all([ask('a'), ask('a')])
    await ask('a', { nested: true })
  })

  test('has the runs that it could have begun left out of its waiting ones', async () => {
    const { ask, pool, waiting } = await startAdmission({ max: 4, computing: 1, accountRuns: 2 })
    await until(() => pool.idle === 4)
    await ask('a')
    for (let i = 0; i < 3; i++) ask('a').catch(() => undefined)
    await expect(ask('a')).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(waiting()).toBe(3)
  })

  test('begins no queued run until one of them has ended', async () => {
    const { ask, admission } = await startFour({ onRun: [exitLine('r')] })
    const [first] = await Promise.all([ask('a'), ask('a')])
    expect([admission.forQueued.free(), admission.forQueued.freeOf('b')]).toEqual([0, 0])
    await begin(first)
    first.release()
    expect(admission.forQueued.free()).toBe(1)
    const queued = { accountCode: 'b', nested: false, queued: true, deadline: performance.now() + 10_000 }
    const { sandbox } = await admission.acquire({ ...queued, signal: new AbortController().signal })
    expect(sandbox.isServing).toBe(true)
  })
})

describe('of the idle sandboxes', () => {
  async function endInTurn(speech: Speech) {
    const { ask, pool } = await startAdmission({ max: 8, warm: 2, speech })
    await until(() => pool.idle === 2)
    const [first, second] = await Promise.all([ask('a'), ask('a')])
    for (const admitted of [second, first]) await begin(admitted)
    return { first, second, ask }
  }

  test('the one that began to recover first is taken if none has recovered', async () => {
    // A recovery that takes long is left out, and the clock of a busy machine goes on between two runs.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const { second, ask } = await endInTurn({ onRun: [exitLine('r')] })
    expect((await ask('a')).sandbox).toBe(second.sandbox)
  })

  test.each([
    ['the account of its last run', 'a', true],
    ['no other account', 'b', false],
  ])(
    'if the processors have enough to do, one that recovers is taken for %s',
    async (_, account, isTaken) => {
      const { ask } = await startFour({ onRun: [exitLine('r')] })
      const [first] = await Promise.all([ask('a'), ask('a')])
      await begin(first)
      first.release()
      expect(first.sandbox.isRecovering).toBe(true)
      expect((await ask(account)).sandbox === first.sandbox).toBe(isTaken)
    },
  )

  test('one that has recovered is taken if a processor is left', async () => {
    const { ask } = await startFour({ onRun: [exitLine('r')] })
    const first = await ask('a')
    await begin(first)
    first.release()
    expect((await ask('a')).sandbox).not.toBe(first.sandbox)
  })

  test('the one that ran last is taken if it has recovered', async () => {
    const { first, ask } = await endInTurn({ onRun: [exitLine('r') + ready] })
    await until(() => !first.sandbox.isRecovering)
    expect((await ask('a')).sandbox).toBe(first.sandbox)
  })
})

describe('a sandbox that goes on after the end of its run', () => {
  async function goOn() {
    const speech = { atStart: [{ wait: 300 }, ready], onRun: [exitLine('r')] }
    const started = await startAdmission({ max: 2, warm: 2, speech })
    await until(() => started.pool.idle === 2)
    const first = await started.ask('a')
    await begin(first)
    first.release()
    return { ...started, first }
  }

  test('counts toward the share of its account and is taken for nobody else', async () => {
    const { first, ask, pool, waiting } = await goOn()
    await until(() => first.sandbox.recovery.isLong)
    expect([pool.idle, first.sandbox.isServing]).toEqual([1, true])
    const again = ask('a')
    const other = await ask('b')
    expect([waiting(), other.sandbox === first.sandbox]).toEqual([1, false])
    first.sandbox.kill('did not leave its script')
    giveBack(await again)
  })

  test('makes its account leave the last idle one to others, which do not wait for its next one', async () => {
    const { first, ask, pool, waiting } = await goOn()
    first.sandbox.kill('did not leave its script')
    await first.sandbox.gone
    expect(pool.isShort).toBe(true)
    const again = ask('a')
    const other = await ask('b')
    expect(waiting()).toBe(1)
    const next = await again
    await begin(next)
    next.release()
    const asked = ask('c')
    giveBack(other)
    expect((await asked).sandbox).toBe(other.sandbox)
  })
})

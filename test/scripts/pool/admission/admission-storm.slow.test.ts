import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Admitted } from '../../../../src/scripts/pool/admission.ts'
import { until } from '../../../server/processes/until.ts'
import { closeAdmissions, giveBack, lose, startAdmission } from './start-admission.ts'

afterEach(closeAdmissions)

test('under random load no sandbox is held twice, none is lost, and every run is answered', async () => {
  const { ask, pool, waiting } = await startAdmission({
    max: 4,
    accountRuns: 1_000,
    runs: 1_000,
  })
  const held = new Set<number>()
  let seed = 1
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const outcomes = { served: 0, lost: 0, gone: 0 }

  async function run(account: string) {
    const controller = new AbortController()
    const isImpatient = random() < 0.2
    if (isImpatient) setTimeout(() => controller.abort(), random() * 20)
    let admitted: Admitted
    try {
      admitted = await ask(account, { signal: controller.signal })
    } catch {
      outcomes.gone++
      return
    }
    const pid = admitted.sandbox.pid ?? 0
    expect(held.has(pid)).toBe(false)
    held.add(pid)
    await sleep(random() * 4)
    held.delete(pid)
    if (random() < 0.05) {
      outcomes.lost++
      await lose(admitted)
    } else {
      outcomes.served++
      giveBack(admitted)
    }
  }

  await Promise.all(Array.from({ length: 400 }, (_, i) => sleep(random() * 200).then(() => run(`a${i % 5}`))))
  expect(outcomes.served + outcomes.lost + outcomes.gone).toBe(400)
  expect(outcomes.served).toBeGreaterThan(200)
  expect([waiting(), held.size]).toEqual([0, 0])
  await until(() => pool.pids.length === 4)
  giveBack(await ask('last'))
})

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { closeAdmissions, giveBack, lose, startAdmission } from '../pool/admission/start-admission.ts'

afterEach(closeAdmissions)

test('within a second after boots work again, waiting and new runs are served', async () => {
  const folder = makeTempFolder()
  const broken = join(folder.path, 'broken')
  const { ask, pool } = await startAdmission({ max: 4, warm: 2, waitMs: 2_000, failsWhile: broken })
  const held = [await ask('a'), await ask('a')]
  writeFileSync(broken, '')
  for (const admitted of held) await lose(admitted)
  // Every boot fails for 3 s while runs wait.
  const refused: unknown[] = []
  for (let i = 0; i < 30; i++) {
    void ask('a').then(giveBack, error => refused.push(error))
    await sleep(100)
  }
  expect(pool.isReady).toBe(false)
  expect(refused.length).toBeGreaterThan(0)

  const waiting = [ask('b'), ask('c'), ask('d')]
  rmSync(broken)
  const repaired = performance.now()
  giveBack(await ask('e'))
  for (const admitted of await Promise.all(waiting)) giveBack(admitted)
  expect(performance.now() - repaired).toBeLessThan(1_000)
  folder.remove()
})

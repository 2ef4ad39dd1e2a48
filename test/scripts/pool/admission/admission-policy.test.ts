import { expect, test } from 'vitest'
import { AdmissionPolicy } from '../../../../src/scripts/pool/admission-policy.ts'
import { HeldSandboxes } from '../../../../src/scripts/pool/held-sandboxes.ts'
import { QueuedShare } from '../../../../src/scripts/pool/queued-share.ts'
import { RunQueue } from '../../../../src/scripts/pool/run-queue.ts'

test('of the accounts that destroyed a sandbox, the newest 1,000 are remembered', () => {
  const policy = new AdmissionPolicy({
    pool: { idle: 1, rested: 1, isShort: true, isRenewing: () => true, canGrow: () => false, computing: 0 },
    maxComputing: 2,
    held: new HeldSandboxes(2, () => 0),
    queued: new QueuedShare(2, () => 0),
    queue: new RunQueue({ runs: 10, accountRuns: 10, waitMs: 1_000 }),
    readMs: () => 0,
  })
  policy.noteEnd('first', false)
  policy.noteEnd('second', false)
  expect([policy.mayTake('first', false), policy.mayTake('second', false)]).toEqual([false, false])
  policy.noteEnd('first', false)
  for (let other = 0; other < 999; other++) policy.noteEnd(`other ${other}`, false)
  expect([policy.mayTake('first', false), policy.mayTake('second', false)]).toEqual([false, true])
})

import type { Run } from '../../domain/scripts/run.ts'
import { OutboundRefusal } from './outbound-address.ts'

// How long a run may wait for other hosts in total while another account needs its sandbox. It is half the time that a
// run waits for a sandbox.
const maxWaitMs = 1_000

interface Wait {
  readonly accountCode: string
  readonly preempted: AbortController
  calls: number
  /** Start of the current wait. `waitedMs` is the total time of the earlier waits. */
  since: number
  waitedMs: number
}

/**
 * The runs that wait for other hosts. Such a run holds a sandbox without using a processor. After a long wait it can be
 * preempted: its current and later calls to other hosts then reject.
 */
export class OutboundWaits {
  readonly #byRun = new WeakMap<Run, Wait>()
  readonly #active = new Set<Wait>()

  /** Makes a call to another host. `signal` aborts the call when the run ends or is preempted. */
  async during<Answer>(run: Run, call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const wait = this.#byRun.get(run) ?? startWait(run)
    this.#byRun.set(run, wait)
    if (wait.calls === 0) wait.since = performance.now()
    wait.calls++
    this.#active.add(wait)
    try {
      return await call(AbortSignal.any([run.signal, wait.preempted.signal]))
    } finally {
      wait.calls--
      if (wait.calls === 0) {
        wait.waitedMs += performance.now() - wait.since
        this.#active.delete(wait)
      }
    }
  }

  /**
   * Preempts one run that has waited for more than a second: the longest wait of the first account that has one.
   * Returns false if there is none.
   */
  preemptLongest(accountCodes: readonly string[]): boolean {
    const now = performance.now()
    const waitedMs = (wait: Wait) => wait.waitedMs + now - wait.since
    const long = [...this.#active].filter(
      wait => waitedMs(wait) >= maxWaitMs && !wait.preempted.signal.aborted,
    )
    for (const accountCode of accountCodes) {
      const own = long.filter(wait => wait.accountCode === accountCode)
      const longest = own.sort((a, b) => waitedMs(b) - waitedMs(a))[0]
      if (longest === undefined) continue
      longest.preempted.abort(preemption())
      return true
    }
    return false
  }
}

function startWait({ caller: { accountCode } }: Run): Wait {
  return { accountCode, preempted: new AbortController(), calls: 0, since: 0, waitedMs: 0 }
}

function preemption(): OutboundRefusal {
  return new OutboundRefusal(
    `other accounts wait for a sandbox, and this run has waited for other hosts for ${maxWaitMs} ms`,
  )
}

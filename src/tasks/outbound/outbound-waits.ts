import type { Run } from '../run/run.ts'
import { OutboundRefusal } from './outbound-address.ts'

// What a run may wait for other hosts, in all, while somebody else needs its sandbox: half of what a run waits for one.
const maxWaitMs = 1_000

interface Wait {
  readonly accountCode: string
  readonly over: AbortController
  calls: number
  /** When the first of its calls under way began, and what it waited before that. */
  since: number
  waitedMs: number
}

/**
 * The runs that wait for other hosts. Each holds a sandbox and uses no processor, for as long as the host likes: one that has
 * waited long can be made to give way, and its calls to other hosts reject from then on.
 */
export class OutboundWaits {
  readonly #ofRun = new WeakMap<Run, Wait>()
  readonly #underWay = new Set<Wait>()

  /** Makes a call of the run to another host; the signal ends it with the run, or when the run is to give way. */
  async during<Answer>(run: Run, call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const wait = this.#ofRun.get(run) ?? startWait(run)
    this.#ofRun.set(run, wait)
    if (wait.calls === 0) wait.since = performance.now()
    wait.calls++
    this.#underWay.add(wait)
    try {
      return await call(AbortSignal.any([run.signal, wait.over.signal]))
    } finally {
      wait.calls--
      if (wait.calls === 0) {
        wait.waitedMs += performance.now() - wait.since
        this.#underWay.delete(wait)
      }
    }
  }

  /** Makes one run give way, of the first account that has one which has waited for a second; false where there is none. */
  endLongest(accountCodes: readonly string[]): boolean {
    const now = performance.now()
    const waitedMs = (wait: Wait) => wait.waitedMs + now - wait.since
    const long = [...this.#underWay].filter(wait => waitedMs(wait) >= maxWaitMs && !wait.over.signal.aborted)
    for (const accountCode of accountCodes) {
      const own = long.filter(wait => wait.accountCode === accountCode)
      const longest = own.sort((a, b) => waitedMs(b) - waitedMs(a))[0]
      if (longest === undefined) continue
      longest.over.abort(gaveWay())
      return true
    }
    return false
  }
}

function startWait({ caller: { accountCode } }: Run): Wait {
  return { accountCode, over: new AbortController(), calls: 0, since: 0, waitedMs: 0 }
}

function gaveWay(): OutboundRefusal {
  return new OutboundRefusal(
    `other accounts wait for a sandbox, and this run has waited for other hosts for ${maxWaitMs} ms`,
  )
}

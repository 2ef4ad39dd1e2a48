import { OwnerCounts } from '../../fairness/owner-counts.ts'
import { errorWithoutPosition, type KeptCall } from '../scripts/run.ts'
import type { RunEnd, RunRecorder, RunStart } from '../scripts/run-record.ts'
import type { DeferrableRecording } from './deferred-runs.ts'
import { createDeferredRuns, type DeferredRun, type DeferredRuns } from './deferred-runs.ts'
import type { RunStore } from './run-store.ts'
import { createWaitingRuns, type RecordedRun } from './write-waiting-runs.ts'

const listAfterMs = 250
const pollEveryMs = 100
// Maximum bytes of runs that wait to be written. Runs past it are written without their long values.
const maxBytes = { account: 16 * 2 ** 20, total: 64 * 2 ** 20 }

interface Dependencies {
  readonly store: Pick<RunStore, 'write'>
  /** The id of this gateway. */
  readonly gateway: string
  /** Replaces secrets in a text that a script wrote. */
  readonly hideSecrets: (text: string) => string
  readonly onError: (error: unknown, runs: number) => void
}

export interface ServingRunRecorder extends RunRecorder {
  /** A recorder for the runs that decide a save. */
  defer(): DeferredRuns
  /** Writes the waiting runs, and stops. */
  close(): Promise<void>
}

/**
 * Writes runs in groups, some time after they end (contract, section 7). A run that lasts longer than 250 ms is first
 * written as running, so that it is found if this process dies. A deferred run waits for the commit of its save.
 *
 *   begun --250 ms--> waits as running --> written as running --> ended, waits --> written
 *     \---- ended within 250 ms --> waits --> written
 *     \---- ended and deferred --> written in the commit of its save; without one, waits --> written
 */
export function createRunRecorder({ onError, ...dependencies }: Dependencies): ServingRunRecorder {
  const begun = new Set<RecordedRun>()
  const heldBytes = new OwnerCounts()
  const release = ({ start, bytes }: RecordedRun) => heldBytes.add(start.accountCode, -bytes)
  const waiting = createWaitingRuns({ ...dependencies, onError, release })

  /** True if there are runs to list as running. */
  function listLong(): boolean {
    const now = performance.now()
    let isAny = false
    for (const run of begun) {
      if (now - run.beganAt < listAfterMs) break
      begun.delete(run)
      waiting.add(run)
      isAny = true
    }
    return isAny
  }

  function reserveTexts(run: RecordedRun, end: RunEnd): void {
    const { accountCode } = run.start
    const logs = end.logs.reduce((sum, entry) => sum + entry.bytes, 0)
    const calls = end.calls.reduce((sum, call) => sum + bytesOfCall(call), 0)
    const bytes = run.start.bytes + 2 * (end.message?.length ?? 0) + end.payloadBytes + logs + calls
    const isFull =
      heldBytes.of(accountCode) + bytes > maxBytes.account || heldBytes.total + bytes > maxBytes.total
    run.bytes = isFull ? 0 : bytes
    run.end = isFull ? { ...end, payload: null, message: null, logs: [], calls: [] } : end
    heldBytes.add(accountCode, run.bytes)
  }

  function begin(start: RunStart): DeferrableRecording {
    const run: RecordedRun = {
      start,
      beganAt: performance.now(),
      end: null,
      bytes: 0,
      beingWritten: null,
      inStore: 'no',
      isDeferred: false,
      keptAs: null,
    }
    begun.add(run)
    return {
      end(end) {
        begun.delete(run)
        reserveTexts(run, end)
        waiting.add(run)
      },
      defer(end) {
        begun.delete(run)
        reserveTexts(run, end)
        run.isDeferred = true
        waiting.remove(run)
        return toDeferred(run)
      },
      endWithoutResult() {
        this.end(noResult)
      },
    }
  }

  const toDeferred = (run: RecordedRun): DeferredRun => ({
    runId: run.start.runId,
    async prepare() {
      await run.beingWritten
      return { row: waiting.toRow(run), inStore: run.inStore }
    },
    markWritten: () => release(run),
    supersede() {
      run.keptAs = 'superseded'
    },
    lose() {
      run.keptAs = 'lost'
    },
    keep() {
      run.isDeferred = false
      waiting.add(run)
    },
    whenKept: () => waiting.whenWritten(run),
  })

  // Runs that come after a write has begun go into the next one. A store that is silent takes seconds for each write,
  // so it is asked once.
  async function flush(): Promise<void> {
    await waiting.write()
    if (!waiting.isSilent) await waiting.write()
  }

  const timer = setInterval(() => waiting.writeWhenDue(listLong()), pollEveryMs)
  timer.unref()

  return {
    begin,
    defer: () => createDeferredRuns({ begin, gateway: dependencies.gateway }),
    async close() {
      clearInterval(timer)
      listLong()
      await flush()
    },
  }
}

// In memory, roughly: numbers, an id and two texts.
function bytesOfCall({ name, error }: KeptCall): number {
  return 200 + 2 * (name.length + (error?.length ?? 0))
}

const noResult: RunEnd = {
  outcome: 'error',
  message: null,
  error: errorWithoutPosition('CRASHED', 'The gateway could not read the result'),
  payload: null,
  payloadBytes: 0,
  logs: [],
  calls: [],
  durationMs: 0,
}

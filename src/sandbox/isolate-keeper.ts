import type { Ending, SandboxSetup } from '../scripts/protocol.ts'
import { createRealmSnapshot, RealmIsolate, type RealmSnapshot } from './realm-isolate.ts'
import type { ScriptRun } from './script-run.ts'

// Runs after which an account gets a new isolate. Each run leaves its realm to V8's collector, which takes longer for
// twenty realms than a new isolate does.
const maxRuns = 20
// Part of a run's memory that earlier runs may still fill. V8 would collect it only when the heap is full, and refuses
// buffers before.
const maxUsedPart = 1 / 8

/**
 * Provides the isolate for the next run. By default each run gets a new one. With `isolation: 'account'` an isolate
 * serves one account for up to `maxRuns` runs, with a new realm for each run, until one does not end cleanly or it
 * holds too much memory.
 */
export class IsolateKeeper {
  readonly #setup: SandboxSetup
  readonly #snapshot: RealmSnapshot
  #isolate: RealmIsolate
  #account: string | null = null
  #runs = 0

  constructor(setup: SandboxSetup) {
    this.#setup = setup
    this.#snapshot = createRealmSnapshot(setup)
    this.#isolate = this.#makeIsolate()
  }

  isolateFor(accountCode: string): RealmIsolate {
    const isForeign = this.#account !== null && this.#account !== accountCode
    if (isForeign) this.#replace()
    this.#account = accountCode
    return this.#isolate
  }

  /** Prepares for the next run. Call it when the script has left its isolate. */
  recover(run: ScriptRun, ending: Ending): void {
    this.#runs++
    try {
      if (this.#canReuse(run, ending)) return this.#isolate.renew()
    } catch {
      // Entering the isolate also runs what the script left in V8, and reports a rejection of it here.
    }
    this.#replace()
  }

  #canReuse(run: ScriptRun, ending: Ending): boolean {
    if (this.#setup.isolation !== 'account' || this.#runs >= maxRuns) return false
    if (ending.kind === 'error' || !run.isSettled || run.mayHaveLeftTraces) return false
    if (this.#isolate.isDisposed) return false
    return this.#isolate.usedBytes <= this.#setup.limits.memoryMb * 2 ** 20 * maxUsedPart
  }

  #replace(): void {
    this.#isolate.dispose()
    this.#isolate = this.#makeIsolate()
    this.#account = null
    this.#runs = 0
  }

  #makeIsolate(): RealmIsolate {
    return new RealmIsolate(this.#setup.limits.memoryMb, this.#snapshot)
  }
}

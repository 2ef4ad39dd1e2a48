import type { Ending, SandboxSetup } from '../scripts/protocol.ts'
import { createRealmSnapshot, RealmIsolate, type RealmSnapshot } from './realm-isolate.ts'
import type { ScriptRun } from './script-run.ts'

// Runs after which an account gets a new isolate. Each run leaves its realm to V8's collector, which takes longer for
// twenty realms than a new isolate does.
const maxRuns = 20

/**
 * Provides the isolate for the next run. By default each run gets a new one. With `isolation: 'account'` an isolate
 * serves one account for up to `maxRuns` runs, with a new realm for each run, until one does not end cleanly.
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

  isolateFor(accountCode: string): { isolate: RealmIsolate; reusesIsolate: boolean } {
    const isForeign = this.#account !== null && this.#account !== accountCode
    if (isForeign) this.#replace()
    this.#account = accountCode
    return { isolate: this.#isolate, reusesIsolate: this.#setup.isolation === 'account' }
  }

  /** Prepares for the next run. Call it when the script has left its isolate. */
  recover(run: ScriptRun, ending: Ending): void {
    const isClean = ending.kind !== 'error' && run.isSettled && !this.#isolate.isDisposed
    this.#runs++
    if (this.#setup.isolation === 'account' && isClean && this.#runs < maxRuns) this.#isolate.renew()
    else this.#replace()
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

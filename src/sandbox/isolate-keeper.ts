import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ending, SandboxSetup } from '../scripts/protocol.ts'
import { createRealmSnapshot, RealmIsolate, type RealmSnapshot } from './realm-isolate.ts'
import type { ScriptRun } from './script-run.ts'

// Maximum time for an ended script to leave its isolate, before the isolate is disposed of or reused.
const unwindMs = 250
const unwindReusedMs = 10

/**
 * Provides the isolate for the next run. By default each run gets a new one. With `isolation: 'account'` an isolate
 * serves one account, with a new realm for each run, until a run does not end cleanly.
 */
export class IsolateKeeper {
  readonly #setup: SandboxSetup
  readonly #snapshot: RealmSnapshot
  #isolate: RealmIsolate
  #account: string | null = null

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

  /**
   * Prepares for the next run. Returns false if the last script does not leave its isolate; then only SIGKILL helps.
   */
  async recover(run: ScriptRun, ending: Ending): Promise<boolean> {
    // Lets the isolate's thread return from its post. Disposing of the isolate during that call can hang this thread.
    await nextTurn()
    const isReusable = this.#setup.isolation === 'account' && ending.kind !== 'error'
    if (isReusable && (await run.becomesQuiet(unwindReusedMs)) && run.isSettled) {
      this.#isolate.renew()
      return true
    }
    this.#isolate.dispose()
    // Disposes of the isolate, which ends a running script unless it is in native code.
    if (!(await run.becomesQuiet(unwindMs))) return false
    this.#replace()
    return true
  }

  #replace(): void {
    this.#isolate.dispose()
    this.#isolate = this.#makeIsolate()
    this.#account = null
  }

  #makeIsolate(): RealmIsolate {
    return new RealmIsolate(this.#setup.limits.memoryMb, this.#snapshot)
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ending, SandboxSetup } from '../tasks/protocol.ts'
import { createRealmSnapshot, RealmIsolate, type RealmSnapshot } from './realm-isolate.ts'
import type { ScriptRun } from './script-run.ts'

// How long a script that has ended may take to leave its isolate.
const unwindMs = 250
const unwindKeptMs = 10

/**
 * Has the isolate for the next run ready. By default each run gets one of its own, and it is thrown away. With
 * `isolation: 'account'` an isolate serves one account, a fresh realm for every run, until a run ends other than cleanly.
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

  isolateFor(accountCode: string): { isolate: RealmIsolate; keepsIsolate: boolean } {
    const isForeign = this.#account !== null && this.#account !== accountCode
    if (isForeign) this.#replace()
    this.#account = accountCode
    return { isolate: this.#isolate, keepsIsolate: this.#setup.isolation === 'account' }
  }

  /** Makes ready for another run; false where the last one does not leave, so that only SIGKILL ends it. */
  async recover(run: ScriptRun, ending: Ending): Promise<boolean> {
    // The isolate's thread still waits for its post to return: disposing it under that call can hang this thread.
    await nextTurn()
    const isKeptIfQuiet = this.#setup.isolation === 'account' && ending.kind !== 'error'
    if (isKeptIfQuiet && (await run.becomesQuiet(unwindKeptMs)) && run.isSettled) {
      this.#isolate.renew()
      return true
    }
    this.#isolate.dispose()
    // Disposing ends a script that still runs. One that does not end is in native code: only the gateway can end that.
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

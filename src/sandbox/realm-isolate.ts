import ivm from 'isolated-vm'
import type { SandboxSetup } from '../scripts/protocol.ts'
import type { Post } from './realm/realm-parts.ts'
import { realmSource, warmUpSource } from './realm/realm-source.ts'
import type { SyntaxPosition } from './script-errors.ts'
import { type CompileError, findSurplusBrace } from './surplus-brace.ts'

const maxCompileMs = 50

/**
 * Creates the snapshot that every isolate starts from, before any script runs. Running the realm's text once here
 * halves the cost of each realm.
 */
export function createRealmSnapshot(setup: SandboxSetup) {
  return ivm.Isolate.createSnapshot([{ code: realmSource(setup), filename: 'rostrum:realm' }], warmUpSource())
}

export type RealmSnapshot = ReturnType<typeof createRealmSnapshot>

interface Realm {
  readonly context: ivm.Context
  /** The function that starts the script and settles its calls. */
  readonly enter: ivm.Reference
}

/** One isolate with one context, in which a script's globals are defined. It is created before its script arrives. */
export class RealmIsolate {
  readonly #isolate: ivm.Isolate
  #realm: Realm
  #post: Post = () => undefined

  constructor(memoryMb: number, snapshot: RealmSnapshot) {
    // Without a handler for catastrophic errors, V8 ends the process by SIGABRT when it cannot get memory. With one,
    // the thread would sleep and never wake.
    this.#isolate = new ivm.Isolate({ memoryLimit: memoryMb, snapshot })
    this.#realm = this.#makeRealm()
  }

  /** Sets the receiver of the next script's posts. */
  listen(post: Post): void {
    this.#post = post
  }

  /** Replaces the realm in the same isolate (`ROSTRUM_ISOLATION=account`) and releases the old realm. */
  renew(): void {
    // Releases these references, because each one would keep the old realm in memory.
    this.#realm.enter.release()
    this.#realm.context.release()
    this.#realm = this.#makeRealm()
  }

  /** Compiles and starts the script. Returns the message of a syntax error, or ''. */
  start(texts: readonly [string, string, string, string], timeoutMs: number): string {
    return String(this.#realm.enter.applySync(undefined, ['start', ...texts], { timeout: timeoutMs }))
  }

  /** Settles one `graphql()` call of the script. The script then continues. */
  resolveCall(
    answer: readonly [call: number, ok: boolean, text: string, code: string],
    timeoutMs: number,
  ): void {
    this.#realm.enter.applySync(undefined, ['answer', ...answer], { timeout: timeoutMs })
  }

  /** Returns the position of a syntax error. It compiles the text as a script and does not run it. */
  locateSyntaxError(text: string): SyntaxPosition | null {
    const compile = (before: string, after: string) => this.#compileError(`${before}\n${text}\n${after}`)
    const startedAt = performance.now()
    const error = compile('(async function () {', '})')
    // To compile a slow text again could take all of its run's time.
    const isSlow = performance.now() - startedAt > maxCompileMs
    const brace = isSlow ? null : findSurplusBrace(compile, error)
    const position = brace ?? error
    return position === null ? null : { ...position, isSurplusBrace: brace !== null }
  }

  /** Bytes of its heap and of the buffers outside it, garbage included. */
  get usedBytes(): number {
    const heap = this.#isolate.getHeapStatisticsSync()
    return heap.used_heap_size + heap.externally_allocated_size
  }

  /** True if the isolate was disposed of, also by V8 at its memory limit. */
  get isDisposed(): boolean {
    return this.#isolate.isDisposed
  }

  /** Disposes of the isolate. A script that is running in it is stopped, at the latest at its next loop or call. */
  dispose(): void {
    if (!this.isDisposed) this.#isolate.dispose()
  }

  #compileError(text: string): CompileError | null {
    try {
      this.#isolate.compileScriptSync(text, { filename: 'task.js', lineOffset: -1 }).release()
      return null
    } catch (error) {
      // A comment `//# sourceURL=` of the script gives it another file name, which has no spaces.
      const [, message, line, column] =
        /^(.*) \[\S+:(\d+):(\d+)\]$/s.exec(error instanceof Error ? error.message : '') ?? []
      return message === undefined ? null : { message, line: Number(line), column: Number(column) }
    }
  }

  #makeRealm(): Realm {
    const context = this.#isolate.createContextSync()
    const post = new ivm.Callback((...parts: Parameters<Post>) => this.#post(...parts))
    // Reading the function and calling it takes less time than compiling a text that does so.
    const take = context.global.getSync('takeRealm', { reference: true })
    const enter = take.applySync(undefined, [post], { result: { reference: true } })
    take.release()
    return { context, enter }
  }
}

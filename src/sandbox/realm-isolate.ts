import ivm from 'isolated-vm'
import type { SandboxSetup } from '../tasks/protocol.ts'
import type { Post } from './realm/realm-parts.ts'
import { realmSource, warmUpSource } from './realm/realm-source.ts'

/**
 * The snapshot that every isolate starts from: half of what a realm costs is saved by running its text once. It never leaves this
 * process, and no script has run when it is made.
 */
export function createRealmSnapshot(setup: SandboxSetup) {
  return ivm.Isolate.createSnapshot([{ code: realmSource(setup), filename: 'rostrum:realm' }], warmUpSource())
}

export type RealmSnapshot = ReturnType<typeof createRealmSnapshot>

/** One isolate with one context that holds the script's globals, made before there is a script for it. */
export class RealmIsolate {
  readonly #isolate: ivm.Isolate
  #context: ivm.Context
  #start: ivm.Reference
  #settle: ivm.Reference
  #post: Post = () => undefined
  #onCatastrophe: (message: string) => void = () => undefined

  constructor(memoryMb: number, snapshot: RealmSnapshot) {
    this.#isolate = new ivm.Isolate({
      memoryLimit: memoryMb,
      snapshot,
      onCatastrophicError: message => this.#onCatastrophe(message),
    })
    const realm = this.#makeRealm()
    this.#context = realm.context
    this.#start = realm.start
    this.#settle = realm.settle
  }

  /** Where the posts of the next script go, and who hears that V8 lost control of the isolate. */
  listen(post: Post, onCatastrophe: (message: string) => void): void {
    this.#post = post
    this.#onCatastrophe = onCatastrophe
  }

  /** A fresh realm in the same isolate (`ROSTRUM_ISOLATION=account`): the last script's is released. */
  renew(): void {
    // Each of them alone would keep the old realm and all that its script left there.
    this.#start.release()
    this.#settle.release()
    this.#context.release()
    const realm = this.#makeRealm()
    this.#context = realm.context
    this.#start = realm.start
    this.#settle = realm.settle
  }

  /** Compiles and starts the script; gives the syntax error's message, or '' where there is none. */
  async start(texts: readonly [string, string, string, string], timeoutMs: number): Promise<string> {
    return String(await this.#start.apply(undefined, [...texts], { timeout: timeoutMs }))
  }

  /** Answers one call of the script, which runs on from there. */
  async settle(call: number, ok: boolean, text: string, timeoutMs: number): Promise<void> {
    await this.#settle.apply(undefined, [call, ok, text], { timeout: timeoutMs })
  }

  /** Line and column of what does not compile; V8 tells them only of a script it compiles itself. Nothing is run. */
  async locateSyntaxError(text: string): Promise<{ line: number; column: number } | null> {
    const wrapped = await this.#compileError(`(async function () {\n${text}\n})`, -1)
    // A text that closes the wrapper compiles inside it: then it is wrong by itself.
    return wrapped ?? (await this.#compileError(text, 0))
  }

  /** Also where V8 has disposed of it, as it does past the memory limit. */
  get isDisposed(): boolean {
    return this.#isolate.isDisposed
  }

  dispose(): void {
    if (!this.isDisposed) this.#isolate.dispose()
  }

  async #compileError(text: string, lineOffset: number): Promise<{ line: number; column: number } | null> {
    try {
      const script = await this.#isolate.compileScript(text, { filename: 'task.js', lineOffset })
      script.release()
      return null
    } catch (error) {
      const place = /\[task\.js:(\d+):(\d+)\]/.exec(error instanceof Error ? error.message : '')
      return place === null ? null : { line: Number(place[1]), column: Number(place[2]) }
    }
  }

  #makeRealm() {
    const context = this.#isolate.createContextSync()
    const post = new ivm.Callback((...parts: Parameters<Post>) => this.#post(...parts))
    const parts = context.evalClosureSync('return takeRealm($0)', [post], { result: { reference: true } })
    const take = (name: string): ivm.Reference => parts.getSync(name, { reference: true })
    const realm = { context, start: take('start'), settle: take('settle') }
    parts.release()
    return realm
  }
}

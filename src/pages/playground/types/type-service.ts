import type { Answers, Question } from './protocol.ts'

interface Reply {
  readonly id: number
  readonly answer?: unknown
  readonly error?: string
  /** False if the error is that the types could not be loaded. */
  readonly isLoaded?: boolean
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

interface ScriptUrlPolicy {
  createScriptURL(url: string): string
}

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptUrlPolicy
    }
  }
}

// TypeScript is some megabytes, which a slow network needs its time for.
const maxSilenceMs = 60_000

// Made once: the policy of the page allows no second one of this name.
let policy: ScriptUrlPolicy | undefined
const toScriptUrl = (url: string): string => {
  policy ??= window.trustedTypes?.createPolicy('rostrum', { createScriptURL: url => url })
  return policy?.createScriptURL(url) ?? url
}

/** The types are there, and fail at this script: it nests too deeply for them. */
export class UncheckedError extends Error {}

/**
 * The worker that knows the types. Loads nothing before the first question. After a load that failed, or a minute
 * without an answer, the next question loads again.
 */
export class TypeService {
  #worker: Worker | null = null
  #lastId = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #waiting = new Map<number, Waiting>()

  /** Asks about a script. Rejects if the types could not be loaded or fail, or if no answer comes. */
  ask<Kind extends keyof Answers>(
    kind: Kind,
    question: Pick<Question, 'script' | 'input'> & Partial<Question>,
  ): Promise<Answers[Kind]> {
    this.#lastId++
    const { promise, resolve, reject } = Promise.withResolvers<Answers[Kind]>()
    this.#waiting.set(this.#lastId, { resolve, reject })
    this.#worker ??= this.#start()
    this.#timer ??= this.#expectAnswer(this.#worker)
    this.#worker.postMessage({ offset: 0, name: '', ...question, kind, id: this.#lastId } satisfies Question)
    return promise
  }

  #start(): Worker {
    const worker = new Worker(toScriptUrl(new URL('./types-worker.ts', import.meta.url).href))
    worker.onmessage = ({ data: { id, answer, error, isLoaded = true } }: MessageEvent<Reply>) => {
      if (!isLoaded) return this.#drop(worker)
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      clearTimeout(this.#timer)
      this.#timer = this.#waiting.size === 0 ? undefined : this.#expectAnswer(worker)
      if (error === undefined) waiting?.resolve(answer as never)
      else waiting?.reject(new UncheckedError(error))
    }
    worker.onerror = event => {
      event.preventDefault()
      this.#drop(worker)
    }
    return worker
  }

  #expectAnswer(worker: Worker): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#drop(worker), maxSilenceMs)
  }

  #drop(worker: Worker): void {
    worker.terminate()
    if (this.#worker !== worker) return
    this.#worker = null
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { reject } of this.#waiting.values()) reject(new Error('The types could not be loaded.'))
    this.#waiting.clear()
  }
}

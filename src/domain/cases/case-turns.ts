import { RostrumError } from '../../errors.ts'

export interface TurnRequest {
  readonly accountCode: string
  readonly id: number
  /** Ends the wait, of `performance.now()`. */
  readonly deadline: number
  readonly signal: AbortSignal
}

export interface CaseTurn {
  /** True if another save or delete of the case came first. */
  readonly hasWaited: boolean
  end(): void
}

// Each waiting save holds its data.
const maxWaiting = 256

/** Saves and deletes of one case take turns within this gateway (contract, section 7, step 2). */
export class CaseTurns {
  /** The waiting ones of each case that has its turn taken. */
  readonly #cases = new Map<string, (() => void)[]>()
  readonly #waiting = new Map<string, number>()

  /** Throws `OVERLOADED` if too many of the account wait, and past the deadline. */
  async take({ accountCode, id, deadline, signal }: TurnRequest): Promise<CaseTurn> {
    const key = `${id} ${accountCode}`
    const waiting = this.#cases.get(key)
    const end = () => this.#end(key)
    if (waiting === undefined) {
      this.#cases.set(key, [])
      return { hasWaited: false, end }
    }
    const count = this.#waiting.get(accountCode) ?? 0
    if (count >= maxWaiting)
      throw overloaded(`${count} saves of this account are waiting already, the maximum`)
    this.#waiting.set(accountCode, count + 1)
    try {
      await waitIn(waiting, { deadline, signal })
    } finally {
      const left = (this.#waiting.get(accountCode) ?? 1) - 1
      if (left === 0) this.#waiting.delete(accountCode)
      else this.#waiting.set(accountCode, left)
    }
    return { hasWaited: true, end }
  }

  #end(key: string): void {
    const next = this.#cases.get(key)?.shift()
    if (next === undefined) this.#cases.delete(key)
    else next()
  }
}

async function waitIn(
  waiting: (() => void)[],
  { deadline, signal }: Pick<TurnRequest, 'deadline' | 'signal'>,
): Promise<void> {
  signal.throwIfAborted()
  if (performance.now() >= deadline) throw tooLate()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = (reason: unknown) => {
    const at = waiting.indexOf(resolve)
    if (at !== -1) waiting.splice(at, 1)
    reject(reason)
  }
  const onAbort = () => leave(signal.reason)
  const timer = setTimeout(() => leave(tooLate()), Math.max(0, deadline - performance.now()))
  waiting.push(resolve)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function tooLate(): RostrumError {
  return overloaded('Other saves of this case took too long')
}

function overloaded(message: string): RostrumError {
  return new RostrumError('OVERLOADED', `${message}. Nothing was changed. Try again in 1 s.`, {
    retryAfterSeconds: 1,
  })
}

import type { KeptCall } from '../../domain/scripts/run.ts'
import { cutText } from '../../json/surrogates.ts'

// Later calls are not kept, and longer messages are cut.
const maxCalls = 100
const maxErrorCharacters = 300

/** A kept call, while it is under way. */
export interface OpenCall {
  noteRun(runId: string): void
  end(durationMs: number, error: string | null): void
}

/** The first calls of one run, which are kept with it. */
export class KeptCalls {
  readonly #calls: KeptCall[] = []
  readonly #startedAt: number

  /** `startedAt` is the start of the run, in milliseconds of `performance.now()`. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  get isFull(): boolean {
    return this.#calls.length === maxCalls
  }

  /** Keeps a call that begins now; returns null if it is not kept. */
  begin(name: string): OpenCall | null {
    if (this.isFull) return null
    const startMs = toTenths(performance.now() - this.#startedAt)
    let call: KeptCall = { name, startMs, durationMs: null, error: null, runId: null }
    const index = this.#calls.push(call) - 1
    const change = (changes: Partial<KeptCall>): void => {
      call = { ...call, ...changes }
      this.#calls[index] = call
    }
    return {
      noteRun: runId => change({ runId }),
      end: (durationMs, error) => change({ durationMs, error: error && cutText(error, maxErrorCharacters) }),
    }
  }

  /** The calls so far, in the order in which they began. */
  entries(): readonly KeptCall[] {
    return [...this.#calls]
  }
}

/** Rounds milliseconds to tenths. */
export function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

import type { Place, Places } from './places.ts'

interface LongWorkParts {
  readonly places: Places
  readonly accountCode: string
  readonly nextTurn: () => Promise<void>
  /** Called only when there is long data, because most changes need no signal. */
  readonly readSignal: () => AbortSignal
}

/**
 * The work of one change on long data. Each step takes its own turn, so that requests of other accounts run in between.
 * An account can have one such change in memory at a time; its other changes wait. No step begins once the client has
 * disconnected.
 */
export class LongWork {
  readonly #parts: LongWorkParts
  #place: Place | null = null

  constructor(parts: LongWorkParts) {
    this.#parts = parts
  }

  /**
   * Resolves when the next step may begin. Call it for one step after the other. Rejects with the reason of the signal
   * when that is aborted.
   */
  async step(): Promise<void> {
    const { places, accountCode, nextTurn, readSignal } = this.#parts
    this.#place ??= await places.take(accountCode, () => ({ signal: readSignal() }))
    await nextTurn()
    readSignal().throwIfAborted()
  }

  /**
   * Lets another change of the account begin. Call it at the end, and before waiting for a script or another change,
   * which may itself need long work.
   */
  pause(): void {
    this.#place?.leave()
    this.#place = null
  }
}

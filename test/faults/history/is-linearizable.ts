import { isDeepStrictEqual } from 'node:util'
import { apply, type Operation, type State } from './operation.ts'

/**
 * Whether there is an order of these operations on one membership that explains all their answers, and in which none
 * comes before another that was answered before it was asked for. Wing and Gong's search, with Lowe's memory of what
 * has been tried.
 */
export function isLinearizable(operations: readonly Operation[]): boolean {
  const ordered = operations.toSorted((one, other) => one.askedAt - other.askedAt)
  const tried = new Set<string>()
  const done = new Set<number>()
  return canGoOn('unborn', 0)

  // All before `first` are done.
  function canGoOn(state: State, first: number): boolean {
    while (done.has(first)) first += 1
    const open = findOpen(first)
    if (open === null) return true
    const place = describe(state, first)
    if (tried.has(place)) return false
    tried.add(place)
    return open.some(index => canBeNext(index, state, first))
  }

  function canBeNext(index: number, state: State, first: number): boolean {
    const operation = ordered[index]
    const outcome = operation && apply(state, operation.request)
    if (!outcome || (operation.answer !== null && !isDeepStrictEqual(outcome.answer, operation.answer)))
      return false
    done.add(index)
    if (canGoOn(outcome.state, first)) return true
    done.delete(index)
    return false
  }

  // Those that may be next: asked for before any other that is still to come was answered. Null where all answers are
  // explained.
  function findOpen(first: number): number[] | null {
    const open: number[] = []
    let hasAnswersLeft = false
    let firstAnswerAt = Number.POSITIVE_INFINITY
    for (let index = first; index < ordered.length; index += 1) {
      const operation = ordered[index]
      if (operation === undefined || done.has(index)) continue
      if (operation.askedAt > firstAnswerAt) break
      open.push(index)
      if (operation.answer === null) continue
      hasAnswersLeft = true
      firstAnswerAt = Math.min(firstAnswerAt, operation.answeredAt)
    }
    return hasAnswersLeft ? open : null
  }

  function describe(state: State, first: number): string {
    const beyond = [...done].filter(index => index > first).sort((one, other) => one - other)
    return JSON.stringify([state, first, beyond])
  }
}

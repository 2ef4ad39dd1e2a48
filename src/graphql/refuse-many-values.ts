import { bounds } from './bounds.ts'
import { beyondBound } from './refuse-bound.ts'

/** Nothing up to the bound `values`, an error beyond; it stops counting there, and follows any depth. */
export function refuseManyValues(variables: unknown): void {
  let count = 0
  for (let level = [variables]; level.length > 0; ) {
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      for (const key in value) {
        next.push((value as Record<string, unknown>)[key])
        if (++count > bounds.values) throw beyondBound('values')
      }
    }
    level = next
  }
}

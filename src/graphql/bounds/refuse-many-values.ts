import { bounds } from './bounds.ts'
import { beyondBound } from './refuse-bound.ts'

/** Throws `BAD_USER_INPUT` if the variables have more than `bounds.values` values, at any depth. */
export function refuseManyValues(variables: unknown): void {
  let count = 0
  for (let level = [variables]; level.length > 0; ) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      const parts = Array.isArray(value) ? value : Object.values(value)
      count += parts.length
      if (count > bounds.values) throw beyondBound('values')
      addObjects(parts, below)
    }
    level = below
  }
}

function addObjects(parts: readonly unknown[], objects: unknown[]): void {
  for (const part of parts) if (typeof part === 'object') objects.push(part)
}

/** True if the variables have no lists or objects and are within the bound `values`. */
export function areFewScalars(variables: Readonly<Record<string, unknown>> | null | undefined): boolean {
  let count = 0
  for (const name in variables) {
    const value = variables[name]
    if ((typeof value === 'object' && value !== null) || ++count > bounds.values) return false
  }
  return true
}

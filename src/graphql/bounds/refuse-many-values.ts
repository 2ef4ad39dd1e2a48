import { bounds } from './bounds.ts'
import type { Variables } from './read-argument.ts'
import { beyondBound } from './refuse-bound.ts'

/** Throws `BAD_USER_INPUT` if the variables have more than `bounds.values` values, at any depth. */
export function refuseManyValues(variables: Variables | null | undefined): void {
  if (!areFewValues(variables)) throw beyondBound('values')
}

/** True if the variables are within the bound `values`. */
export function areFewValues(variables: Variables | null | undefined): boolean {
  return areFewScalars(variables) || areFewAtAnyDepth(variables)
}

// Most variables are one or two scalars: looked at where they are, without a list of them.
function areFewScalars(variables: Variables | null | undefined): boolean {
  let count = 0
  for (const name in variables) {
    const value = variables[name]
    if ((typeof value === 'object' && value !== null) || ++count > bounds.values) return false
  }
  return true
}

function areFewAtAnyDepth(variables: unknown): boolean {
  let count = 0
  for (let level = [variables]; level.length > 0; ) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      const parts = Array.isArray(value) ? value : Object.values(value)
      count += parts.length
      if (count > bounds.values) return false
      addObjects(parts, below)
    }
    level = below
  }
  return true
}

function addObjects(parts: readonly unknown[], objects: unknown[]): void {
  for (const part of parts) if (typeof part === 'object') objects.push(part)
}

import { type GraphQLError, locatedError } from 'graphql'
import type { FieldNodes } from './collect-fields.ts'

/** The position of a value in the answer. List indexes have no type name. */
export interface Path {
  readonly prev: Path | undefined
  readonly key: string | number
  readonly typename: string | undefined
}

/** The errors of one execution. Like graphql-js, it ignores errors below a position that is already null. */
export class CollectedErrors {
  readonly errors: GraphQLError[] = []
  readonly #nulled = new Set<Path | undefined>()

  add(error: GraphQLError, path: Path | undefined): void {
    if (this.#nulled.size > 0 && this.#isNulled(path)) return
    this.#nulled.add(path)
    this.errors.push(error)
  }

  #isNulled(path: Path | undefined): boolean {
    for (let at = path; at !== undefined; at = at.prev) if (this.#nulled.has(at)) return true
    return this.#nulled.has(undefined)
  }
}

/** Adds its position in the document and in the answer to an error of a field or an item. */
export function locateError(thrown: unknown, nodes: FieldNodes, path: Path): GraphQLError {
  const keys: (string | number)[] = []
  for (let at: Path | undefined = path; at !== undefined; at = at.prev) keys.push(at.key)
  return locatedError(thrown as Error, nodes, keys.reverse())
}

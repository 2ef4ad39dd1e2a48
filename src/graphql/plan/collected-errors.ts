import { type GraphQLError, locatedError } from 'graphql'
import type { FieldNodes } from './collect-fields.ts'

/** Where in the answer a value stands; the steps of a list have no type. */
export interface Path {
  readonly prev: Path | undefined
  readonly key: string | number
  readonly typename: string | undefined
}

/** The errors of one execution, as graphql-js collects them: none below a place that an error before has made null. */
export class CollectedErrors {
  readonly errors: GraphQLError[] = []
  readonly #places = new Set<Path | undefined>()

  add(error: GraphQLError, place: Path | undefined): void {
    if (this.#places.size > 0 && this.#isNulled(place)) return
    this.#places.add(place)
    this.errors.push(error)
  }

  #isNulled(place: Path | undefined): boolean {
    for (let at = place; at !== undefined; at = at.prev) if (this.#places.has(at)) return true
    return this.#places.has(undefined)
  }
}

/** What a field or an item threw, with its place in the document and in the answer. */
export function locateError(thrown: unknown, nodes: FieldNodes, place: Path): GraphQLError {
  const path: (string | number)[] = []
  for (let at: Path | undefined = place; at !== undefined; at = at.prev) path.push(at.key)
  return locatedError(thrown as Error, nodes, path.reverse())
}

import { RostrumError } from '../errors.ts'
import { parseParameters } from './parse-parameters.ts'

const idName = 'ids[]'
const mostFields = 10_000

/**
 * The values of `ids[]` in a raw query string, in order, brackets plain or as `%5B%5D` (contract, section 2). Read by hand:
 * no parser that builds objects from brackets ever sees what a caller sends. None at all is `BAD_USER_INPUT`.
 */
export function readIds(queryString: string): string[] {
  const ids = parseParameters({ text: queryString, most: mostFields, what: 'A query string' }).getAll(idName)
  if (ids.length > 0) return ids
  throw new RostrumError('BAD_USER_INPUT', 'Name the memberships to list, as in `?ids[]=1&ids[]=2`.')
}

import type { ExecutionResult } from 'graphql'
import { RostrumError } from '../errors.ts'
import { type MaskRequest, maskError } from './mask-error.ts'
import { maskGraphqlError, toGraphqlError } from './mask-graphql-error.ts'

// One bad argument below a list gives an error for each item.
const maxErrors = 100

/** The result with its first hundred errors, masked. */
export function maskResult(result: ExecutionResult, request: MaskRequest): ExecutionResult {
  if (result.errors === undefined) return result
  const errors = result.errors.slice(0, maxErrors).map(error => maskGraphqlError(error, request))
  const left = result.errors.length - errors.length
  if (left > 0) errors.push(toGraphqlError(maskError(tooManyErrors(left), request)))
  return { ...result, errors }
}

function tooManyErrors(left: number): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `There are ${left} more errors; only the first ${maxErrors} are listed.`,
  )
}

import { type ExecutionResult, GraphQLError } from 'graphql'
import { type Fact, RostrumError } from '../errors.ts'
import { type MaskRequest, maskError } from './mask-error.ts'

// Maximum number of errors in an answer. One bad argument below a list causes an error for each item.
const maxErrors = 100

// Maximum number of positions in an error. An error about duplicates can name a thousand.
const maxNodes = 10

// The message for a store error below a mutation that has succeeded. The store's own "nothing was changed" would seem
// to be about the mutation.
const unreadable =
  'This part of the answer could not be read. Changes made before it are kept. Read again in 1 s.'

export interface MaskedResult {
  /** The result with GraphQL errors. */
  readonly result: ExecutionResult
  /** The same errors in the same order, for answers in formats other than GraphQL. */
  readonly failures: readonly RostrumError[]
}

const noFailures: readonly RostrumError[] = []

/** Masks the errors of a result and keeps the first hundred. */
export function maskResult(result: UnmaskedResult, request: MaskRequest): MaskedResult {
  const { errors } = result
  if (errors === undefined) return { result: result as ExecutionResult, failures: noFailures }
  const listed = errors.slice(0, maxErrors)
  const failures = listed.map(error => maskError(error, request))
  const masked = failures.map((failure, index) => toGraphqlError(failure, listed[index]))
  const left = errors.length - listed.length
  if (left > 0) masked.push(toGraphqlError(tooManyErrors(left)))
  return { result: { ...result, errors: masked }, failures }
}

type UnmaskedResult = Omit<ExecutionResult, 'errors'> & { readonly errors?: readonly unknown[] }

/**
 * Turns a masked error into a GraphQL error with its code, reason, bad fields and facts as `extensions`, and with the
 * path and first locations of the thrown error.
 */
export function toGraphqlError(failure: RostrumError, thrown?: unknown): GraphQLError {
  const extensions = toExtensions(failure)
  if (!(thrown instanceof GraphQLError)) return new GraphQLError(failure.message, { extensions })
  const { nodes = null, source = null, positions = null, path = null } = thrown
  const isBelowRoot = path !== null && path.length > 1
  const message = failure.code === 'UNAVAILABLE' && isBelowRoot ? unreadable : failure.message
  if (nodes === null) return new GraphQLError(message, { source, positions, path, extensions })
  return new GraphQLError(message, { nodes: nodes.slice(0, maxNodes), path, extensions })
}

function toExtensions({ code, reason, fields, retryAfterSeconds, facts }: RostrumError) {
  return {
    ...facts,
    ...(facts.hook === undefined ? {} : { hook: toGraphqlHook(facts.hook) }),
    code,
    ...(reason === null ? {} : { reason }),
    ...(fields.length === 0 ? {} : { errors: fields }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

// Changes a fact about a hook to the form of GraphQL: ids are text and enum values are upper case (contract, section
// 3).
function toGraphqlHook(hook: Fact): Fact {
  if (hook === null || typeof hook !== 'object') return hook
  const { id = null, event = null } = hook
  return { id: String(id), event: String(event).toUpperCase().replace('-', '_') }
}

function tooManyErrors(left: number): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `There are ${left} more errors; only the first ${maxErrors} are listed.`,
  )
}

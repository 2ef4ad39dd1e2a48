import {
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
  specifiedRules,
  validate,
} from 'graphql'
import { RostrumError } from '../../errors.ts'
import {
  createDocumentCache,
  describeOperation,
  type PreparedDocument,
  type PreparedOperation,
} from '../document-cache.ts'
import { prepareDocument, refuseDeepNesting } from '../prepare-document.ts'
import type { Bound } from './bounds.ts'
import { createIntrospectionMeasure } from './introspection-bytes.ts'
import { createPricing, hasConstantCost } from './operation-cost.ts'
import type { Variables } from './read-argument.ts'
import { refuseBeyond, tooRepetitive } from './refuse-bound.ts'
import { areFewScalars, refuseManyValues } from './refuse-many-values.ts'
import { refuseConditionalSubscription } from './refuse-shape.ts'

export interface OperationRequest {
  readonly query: string
  readonly variables?: Variables | null | undefined
  readonly operationName?: string | null | undefined
  /** Refuses mutations, because a GET request must not change anything. */
  readonly readOnly?: boolean
}

/**
 * Why an operation was refused: its method, a bound, an error in the document, a fault of this process; for a
 * subscription also a request that cannot take a stream, or an error of its event source.
 */
export type Refusal = 'method' | 'bounds' | 'document' | 'fault' | 'no stream' | 'source'

export type Admission =
  | { readonly kind: 'admitted'; readonly prepared: PreparedOperation; readonly isLarge: boolean }
  | {
      readonly kind: 'refused'
      readonly by: Refusal
      readonly errors: readonly unknown[]
      readonly operation: OperationDefinitionNode | null
    }

interface Operation {
  readonly prepared: PreparedDocument
  readonly node: OperationDefinitionNode | null
  readonly name: string | null
  readonly isLarge: boolean
}

// graphql-js stops comparing fields of the same name at a quadratic limit and says only this. Only unused fragments can
// reach that limit, because `refuseRepetition` counts the used ones before.
const abortedValidation = 'Validation aborted.'

// About ten milliseconds. graphql-js would execute it without a pause.
const maxCostAtOnce = 10_000

const rules = [...specifiedRules, refuseConditionalSubscription]

/** Parses, bounds and validates a document before any resolver runs, and caches the result by its text. */
export function createAdmission(schema: GraphQLSchema): (request: OperationRequest) => Admission {
  const documents = createDocumentCache()
  const price = createPricing(schema)
  const measureIntrospection = createIntrospectionMeasure(schema)

  function prepare(text: string): PreparedDocument {
    const known = documents.get(text)
    if (known !== undefined) return known
    const prepared = prepareDocument(text)
    documents.set(text, prepared)
    return prepared
  }

  // Each cached document is validated once, because the schema never changes.
  function findErrors(prepared: PreparedDocument): readonly GraphQLError[] {
    prepared.validationErrors ??= refuseDeepNesting(() =>
      validate(schema, prepared.document, rules, { maxErrors: 20, hideSuggestions: true }),
    )
    return prepared.validationErrors
  }

  function refuseLongIntrospection({ fragments }: PreparedDocument, node: OperationDefinitionNode | null) {
    if (node !== null) {
      refuseBeyond('introspectionBytes', measureIntrospection({ operation: node, fragments }))
    }
  }

  function cacheOperation({ prepared, node, name, isLarge }: Operation): PreparedOperation {
    const { document, operations } = prepared
    const known = operations.get(name)
    if (known !== undefined) return known
    const isWithinBounds = node !== null && hasConstantCost(node)
    const description = describeOperation(node)
    const operation = { document, node, isWithinBounds, isLarge, description, executions: 0 }
    // Only names that the document has, so that callers cannot fill the cache with others.
    if (node !== null) operations.set(name, operation)
    return operation
  }

  function admit({ query, variables, operationName, readOnly = false }: OperationRequest): Admission {
    let node: OperationDefinitionNode | null = null
    let isLarge = false
    const refused = (by: Refusal, errors: readonly unknown[]) =>
      ({ kind: 'refused', by, errors, operation: node }) as const
    try {
      const prepared = prepare(query)
      node = getOperationAST(prepared.document, operationName) ?? null
      if (node !== null) {
        const { fragments } = prepared
        const pricing = { operation: node, fragments, variables: variables ?? {} }
        const cost = price(pricing)
        refuseBeyond(boundOfCost(node), cost)
        isLarge = cost > maxCostAtOnce && price({ ...pricing, withoutIntrospection: true }) > maxCostAtOnce
        refuseManyValues(variables)
      }
      const invalid = findErrors(prepared)
      if (invalid.some(({ message }) => message === abortedValidation)) throw tooRepetitive()
      if (invalid.length > 0) return refused('document', invalid)
      refuseLongIntrospection(prepared, node)
      if (readOnly && node?.operation === 'mutation') {
        return refused('method', [
          new GraphQLError('A GET request can only send queries; use POST for this operation.'),
        ])
      }
      const operation = cacheOperation({ prepared, node, name: operationName ?? null, isLarge })
      return { kind: 'admitted', prepared: operation, isLarge }
    } catch (error) {
      return refused(whatRefused(error), [error])
    }
  }

  // Most requests repeat an admitted operation, and only their variables are checked.
  return request => {
    const { query, variables, operationName, readOnly = false } = request
    const prepared = readOnly ? undefined : documents.get(query)?.operations.get(operationName ?? null)
    const isAdmitted = prepared?.isWithinBounds === true && areFewScalars(variables)
    return isAdmitted ? { kind: 'admitted', prepared, isLarge: prepared.isLarge } : admit(request)
  }
}

function boundOfCost({ operation }: OperationDefinitionNode): Bound {
  return operation === OperationTypeNode.SUBSCRIPTION ? 'eventCost' : 'cost'
}

function whatRefused(error: unknown): Refusal {
  if (error instanceof RostrumError) return 'bounds'
  return error instanceof GraphQLError ? 'document' : 'fault'
}

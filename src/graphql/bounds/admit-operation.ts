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
  /** Refuses mutations: a GET request must change nothing. */
  readonly readOnly?: boolean
}

/**
 * What refused an operation: its method, a bound, what the document says, a fault of ours; or, of a subscription, that its answer is no
 * stream, or what it follows.
 */
export type Refusal = 'method' | 'bounds' | 'document' | 'fault' | 'no stream' | 'source'

export type Admission =
  | { readonly kind: 'admitted'; readonly prepared: PreparedOperation }
  | {
      readonly kind: 'refused'
      readonly by: Refusal
      readonly errors: readonly unknown[]
      readonly operation: OperationDefinitionNode | null
    }

// graphql-js gives up on comparing fields of the same name, which grows with their square, and says only this. Only fragments
// that nothing spreads can bring it there: the others are counted before.
const abortedValidation = 'Validation aborted.'

const rules = [...specifiedRules, refuseConditionalSubscription]

/** Everything that happens to a text before a resolver may run: parsing, bounds, validation; cached by the text. */
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

  // Validated once for each document in the cache: the schema never changes.
  function findFaults(prepared: PreparedDocument): readonly GraphQLError[] {
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

  function remember(
    { document, operations }: PreparedDocument,
    node: OperationDefinitionNode | null,
    name: string | null,
  ): PreparedOperation {
    const known = operations.get(name)
    if (known !== undefined) return known
    const isWithinBounds = node !== null && hasConstantCost(node)
    const description = describeOperation(node)
    const operation = { document, node, isWithinBounds, description, executions: 0 }
    // No name but those that the document has, or any text could be kept.
    if (node !== null) operations.set(name, operation)
    return operation
  }

  function admit({ query, variables, operationName, readOnly = false }: OperationRequest): Admission {
    let node: OperationDefinitionNode | null = null
    const refused = (by: Refusal, errors: readonly unknown[]) =>
      ({ kind: 'refused', by, errors, operation: node }) as const
    try {
      const prepared = prepare(query)
      node = getOperationAST(prepared.document, operationName) ?? null
      if (node !== null) {
        const { fragments } = prepared
        refuseBeyond(boundOfCost(node), price({ operation: node, fragments, variables: variables ?? {} }))
        refuseManyValues(variables)
      }
      const faults = findFaults(prepared)
      if (faults.some(({ message }) => message === abortedValidation)) throw tooRepetitive()
      if (faults.length > 0) return refused('document', faults)
      refuseLongIntrospection(prepared, node)
      if (readOnly && node?.operation === 'mutation') {
        return refused('method', [new GraphQLError('A GET request can only query; send a POST request.')])
      }
      return { kind: 'admitted', prepared: remember(prepared, node, operationName ?? null) }
    } catch (error) {
      return refused(whatRefused(error), [error])
    }
  }

  // What was admitted once needs nothing but a look at its variables, most of the time.
  return request => {
    const { query, variables, operationName, readOnly = false } = request
    const prepared = readOnly ? undefined : documents.get(query)?.operations.get(operationName ?? null)
    const isAdmitted = prepared?.isWithinBounds === true && areFewScalars(variables)
    return isAdmitted ? { kind: 'admitted', prepared } : admit(request)
  }
}

function boundOfCost({ operation }: OperationDefinitionNode): Bound {
  return operation === OperationTypeNode.SUBSCRIPTION ? 'eventCost' : 'cost'
}

function whatRefused(error: unknown): Refusal {
  if (error instanceof RostrumError) return 'bounds'
  return error instanceof GraphQLError ? 'document' : 'fault'
}

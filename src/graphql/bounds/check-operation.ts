import {
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  MaxIntrospectionDepthRule,
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
import { createIntrospectionMeasure } from './introspection-size.ts'
import {
  areFewValues,
  createLeaveOutJson,
  declaredVariables,
  refuseManyValues,
  shapeOf,
} from './measure-variables.ts'
import { type CostRequest, createPricing, type Price } from './operation-cost.ts'
import type { Variables } from './read-argument.ts'
import { refuseBeyond, tooRepetitive } from './refuse-bound.ts'
import { refuseConditionalSubscription } from './refuse-shape.ts'
import { refuseVariablesInJson } from './refuse-variables-in-json.ts'

export interface OperationRequest {
  readonly query: string
  readonly variables?: Variables | null | undefined
  readonly operationName?: string | null | undefined
  /** If true, mutations are refused, because a GET request must not change anything. */
  readonly readOnly?: boolean
}

/**
 * What refused an operation: its HTTP method, a bound, an error in the document, a fault of this process, a dry run
 * that forbids changes, a request that cannot take a stream, the event source of a subscription, the missing scopes of
 * all root fields, or a client that disconnected before it began.
 */
export type Refusal =
  | 'method'
  | 'bounds'
  | 'document'
  | 'fault'
  | 'dry run'
  | 'no stream'
  | 'source'
  | 'scope'
  | 'gone'

export interface AcceptedOperation {
  readonly kind: 'accepted'
  readonly prepared: PreparedOperation
  readonly isLarge: boolean
}

/** An operation that is not executed, with its errors. */
export interface RefusedOperation {
  readonly kind: 'refused'
  readonly by: Refusal
  readonly errors: readonly unknown[]
  readonly operation: OperationDefinitionNode | null
}

type CheckedOperation = AcceptedOperation | RefusedOperation

interface Operation {
  readonly prepared: PreparedDocument
  readonly node: OperationDefinitionNode | null
  readonly name: string | null
}

// The message with which graphql-js stops comparing fields of the same name when that takes too long. Only unused
// fragments can cause it, because `refuseRepetition` has counted the used ones before.
const abortedValidation = 'Validation aborted.'

// Maximum cost of an operation that graphql-js executes without a pause: it takes about 10 ms.
const maxCostAtOnce = 10_000

// Number of shapes of variables that are cached for each operation. Most operations have one shape; varying lists and
// page sizes make many.
const maxShapes = 32

// Maximum characters of the message of a cached error.
const maxCachedMessage = 1_000

// Left out: our own bound `introspectionNesting` has refused such documents before validation.
const standardRules = specifiedRules.filter(rule => rule !== MaxIntrospectionDepthRule)
const rules = [...standardRules, refuseConditionalSubscription, refuseVariablesInJson]

/** Parses, bounds and validates a document before any resolver runs, and caches the result by its text. */
export function createOperationCheck(
  schema: GraphQLSchema,
  price: Price = createPricing(schema),
): (request: OperationRequest) => CheckedOperation {
  const documents = createDocumentCache()
  const measureIntrospection = createIntrospectionMeasure(schema)

  function prepare(text: string): PreparedDocument {
    const known = documents.get(text)
    if (known !== undefined) return known
    const prepared = prepareDocument(text)
    documents.set(text, prepared)
    return prepared
  }

  // Each cached document is validated once, because the schema never changes, unless its errors would take far more
  // memory than the document: each of them may name an operation of a megabyte.
  function findErrors(prepared: PreparedDocument): readonly GraphQLError[] {
    if (prepared.validationErrors !== null) return prepared.validationErrors
    const errors = refuseDeepNesting(() =>
      validate(schema, prepared.document, rules, { maxErrors: 20, hideSuggestions: true }),
    )
    if (errors.every(({ message }) => message.length <= maxCachedMessage)) prepared.validationErrors = errors
    return errors
  }

  function refuseLongIntrospection({ fragments }: PreparedDocument, node: OperationDefinitionNode | null) {
    if (node === null) return
    const { fields, bytes } = measureIntrospection({ operation: node, fragments })
    refuseBeyond('introspectionFields', fields)
    refuseBeyond('introspectionBytes', bytes)
  }

  /** Throws `BAD_USER_INPUT` if the cost is past the bound. Returns whether the operation is large. */
  function priceWithinBounds(request: CostRequest): boolean {
    const cost = price(request)
    refuseBeyond(boundOfCost(request.operation), cost)
    return cost > maxCostAtOnce
  }

  function cacheOperation({ prepared, node, name }: Operation): PreparedOperation {
    const { document, operations } = prepared
    const known = operations.get(name)
    if (known !== undefined) return known
    const operation = {
      document,
      node,
      variables: node === null ? [] : declaredVariables(schema, node),
      leaveOutJson: createLeaveOutJson(schema, node),
      acceptedShapes: new Map(),
      description: describeOperation(node),
      executions: 0,
    }
    // Caches only operation names that the document has, so that callers cannot fill the cache with other names.
    if (node !== null) operations.set(name, operation)
    return operation
  }

  function cacheShape(operation: PreparedOperation, variables: Variables, isLarge: boolean): void {
    const { acceptedShapes } = operation
    if (acceptedShapes.size >= maxShapes) acceptedShapes.clear()
    acceptedShapes.set(shapeOf(operation.variables, variables), isLarge)
  }

  function check(
    { query, operationName, readOnly = false }: OperationRequest,
    variables: Variables,
  ): CheckedOperation {
    let node: OperationDefinitionNode | null = null
    let isLarge = false
    const refused = (by: Refusal, errors: readonly unknown[]) =>
      ({ kind: 'refused', by, errors, operation: node }) as const
    try {
      const prepared = prepare(query)
      node = getOperationAST(prepared.document, operationName) ?? null
      if (node !== null) {
        const { fragments } = prepared
        // Before the price, which reads the members of a filter again for each field that has it.
        refuseManyValues(createLeaveOutJson(schema, node)(variables))
        isLarge = priceWithinBounds({ operation: node, fragments, variables })
      }
      const invalid = findErrors(prepared)
      if (invalid.some(({ message }) => message === abortedValidation)) throw tooRepetitive()
      if (invalid.length > 0) return refused('document', invalid)
      refuseLongIntrospection(prepared, node)
      if (readOnly && node?.operation === 'mutation') {
        return refused('method', [
          new RostrumError(
            'METHOD_NOT_ALLOWED',
            'A GET request can only send queries; use POST for this operation.',
          ),
        ])
      }
      const operation = cacheOperation({ prepared, node, name: operationName ?? null })
      cacheShape(operation, variables, isLarge)
      return { kind: 'accepted', prepared: operation, isLarge }
    } catch (error) {
      return refused(refusalOf(error), [error])
    }
  }

  // Most requests repeat an operation and a shape of variables that were accepted before. For these, only the values
  // are counted.
  return request => {
    const { query, operationName, readOnly = false } = request
    const variables = request.variables ?? {}
    const prepared = readOnly ? undefined : documents.get(query)?.operations.get(operationName ?? null)
    const isLarge = prepared?.acceptedShapes.get(shapeOf(prepared.variables, variables))
    if (prepared === undefined || isLarge === undefined) return check(request, variables)
    if (!areFewValues(prepared.leaveOutJson(variables))) return check(request, variables)
    return { kind: 'accepted', prepared, isLarge }
  }
}

function boundOfCost({ operation }: OperationDefinitionNode): Bound {
  return operation === OperationTypeNode.SUBSCRIPTION ? 'eventCost' : 'cost'
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof RostrumError) return 'bounds'
  return error instanceof GraphQLError ? 'document' : 'fault'
}

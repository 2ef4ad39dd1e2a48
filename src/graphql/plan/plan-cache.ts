import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { bytesOfDocument, type PreparedOperation } from '../document-cache.ts'
import { compileOperation, type OperationPlan } from './compile-operation.ts'

// Executions of an operation before it is compiled. Compiling costs about as much as one execution, so an operation
// that is sent once is not worth it.
const executionsBefore = 8

const bytesPerField = 2 ** 10

// Estimates the memory of a plan with its document, because the document cache may have evicted the document.
const bytesOf = ({ fieldCount }: OperationPlan, { document }: PreparedOperation) =>
  bytesPerField * fieldCount + bytesOfDocument(document) + 1

/**
 * Returns the plan of a frequent or large operation; null for other operations and for those that cannot be planned.
 */
export type FindPlan = (operation: PreparedOperation, isLarge?: boolean) => OperationPlan | null

/**
 * An LRU cache of plans, limited in number and in estimated bytes. After a plan is evicted, its operation must become
 * frequent again.
 */
export function createPlanCache(schema: GraphQLSchema): FindPlan {
  const plans = new LRUCache<PreparedOperation, OperationPlan>({
    max: 500,
    maxSize: 32 * 2 ** 20,
    sizeCalculation: bytesOf,
    dispose: (_plan, operation) => {
      operation.executions = 0
    },
  })

  function compileWhenFrequent(operation: PreparedOperation, isLarge: boolean): OperationPlan | null {
    operation.executions += 1
    if (isLarge) operation.executions = Math.max(operation.executions, executionsBefore)
    // Compiles only at this exact count and lets the count continue, so that a failed compilation is not repeated.
    if (operation.executions !== executionsBefore || operation.node === null) return null
    const { document, node } = operation
    const plan = compileOperation({ schema, document, operation: node })
    if (plan !== null) plans.set(operation, plan)
    return plan
  }

  return (operation, isLarge = false) => plans.get(operation) ?? compileWhenFrequent(operation, isLarge)
}

import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { bytesOfDocument, type PreparedOperation } from '../document-cache.ts'
import { compileOperation, type OperationPlan } from './compile-operation.ts'

// Compiling costs about as much as one execution, so documents that are sent once are not compiled.
const executionsBefore = 8

const bytesPerField = 2 ** 10

// A plan keeps its document in memory, even if the document cache has evicted it.
const bytesOf = ({ fieldCount }: OperationPlan, { document }: PreparedOperation) =>
  bytesPerField * fieldCount + bytesOfDocument(document) + 1

/** The plan of a frequent or large operation; null for others and for those that cannot be planned. */
export type FindPlan = (operation: PreparedOperation, isLarge?: boolean) => OperationPlan | null

/** An LRU cache of plans, limited in number and in estimated bytes. An evicted plan must become frequent again. */
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
    // The count continues, so that an operation that cannot be compiled is tried once.
    if (operation.executions !== executionsBefore || operation.node === null) return null
    const { document, node } = operation
    const plan = compileOperation({ schema, document, operation: node })
    if (plan !== null) plans.set(operation, plan)
    return plan
  }

  return (operation, isLarge = false) => plans.get(operation) ?? compileWhenFrequent(operation, isLarge)
}

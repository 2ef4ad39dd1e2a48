import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { bytesOfDocument, type PreparedOperation } from '../document-cache.ts'
import { compileOperation, type OperationPlan } from './compile-operation.ts'

// Compiling costs about what one execution does: who never sends a document twice never pays for it.
const executionsBefore = 8

const bytesPerField = 2 ** 10

// A plan keeps its document, which the cache of documents may have given up.
const bytesOf = ({ fieldCount }: OperationPlan, { document }: PreparedOperation) =>
  bytesPerField * fieldCount + bytesOfDocument(document) + 1

/** The plan of an operation that has proved hot, or is large; null where it has not, or where it is graphql-js's to execute. */
export type FindPlan = (operation: PreparedOperation, isLarge?: boolean) => OperationPlan | null

/** Plans are bounded in number and in (estimated) bytes, least recently used first out; one that is gone has to prove hot again. */
export function createPlanCache(schema: GraphQLSchema): FindPlan {
  const plans = new LRUCache<PreparedOperation, OperationPlan>({
    max: 500,
    maxSize: 32 * 2 ** 20,
    sizeCalculation: bytesOf,
    dispose: (_plan, operation) => {
      operation.executions = 0
    },
  })

  function compileWhenHot(operation: PreparedOperation, isLarge: boolean): OperationPlan | null {
    operation.executions += 1
    if (isLarge) operation.executions = Math.max(operation.executions, executionsBefore)
    // Counted on past it, so that what cannot be compiled is tried once.
    if (operation.executions !== executionsBefore || operation.node === null) return null
    const { document, node } = operation
    const plan = compileOperation({ schema, document, operation: node })
    if (plan !== null) plans.set(operation, plan)
    return plan
  }

  return (operation, isLarge = false) => plans.get(operation) ?? compileWhenHot(operation, isLarge)
}

import * as plans from '../../../src/graphql/plan/execute-plan.ts'
import { countExecution } from './executions.ts'

/** Null where the engine is to ask graphql-js, which counts by itself. */
export const executePlan: typeof plans.executePlan = (...parts) => {
  const result = plans.executePlan(...parts)
  return result === null ? null : countExecution(result)
}

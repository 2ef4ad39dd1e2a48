import { fieldOf, mutation, record } from './operation.ts'

/** The result of running a script (contract, section 4). */
export const execution = record('task_execution', {
  id: 'value',
  name: 'value',
  outcome: 'word',
  payload: 'value',
  message: 'value',
  error: '{ code message line column stack hint }',
  logs: { at: 'value', level: 'word', data: 'value' },
  request_context: '{ txnID txnSource }',
  duration_ms: 'value',
})

export interface Label {
  readonly name: string
  readonly field: string
}

/** The labels of a task, which are the members of its `metadata`. */
export const taskLabels: readonly Label[] = ['case_type_code', 'account_nickname'].map(name => ({
  name,
  field: fieldOf(name),
}))

/** The execution endpoint (contract, section 4). */
export const executeTask = mutation({
  field: 'executeTask',
  variables: { input: 'ExecuteTaskInput!' },
  answer: execution,
})

/** Runs a stored function by its name (contract, section 7). */
export const runFunction = mutation({
  field: 'runFunction',
  variables: { input: 'RunFunctionInput!' },
  answer: execution,
})

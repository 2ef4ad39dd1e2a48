import { record } from './operation.ts'

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

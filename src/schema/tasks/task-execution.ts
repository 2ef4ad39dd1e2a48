import type { Transaction } from '../../tasks/input/transaction.ts'
import {
  type TaskExecution as Execution,
  type LogEntry,
  type LogLevel,
  type TaskError,
  taskErrorCodes,
} from '../../tasks/run/task-execution.ts'
import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'

// What can be long costs by its length, some 250 bytes a point: aliases would repeat it in the answer as often as they like.
// The longest are those of the defaults (contract, section 4, "Limits").
const costOfResult = cost({ kind: 'fixed', cost: 9_000 })
const costOfLogData = cost({ kind: 'fixed', cost: 3 })
const costOfLogs = cost({ kind: 'list', most: 1_000 })

const TaskOutcome = builder.enumType('TaskOutcome', {
  description: 'How an execution ended.',
  values: {
    EXIT: { value: 'exit', description: 'The script called `exit`.' },
    FAIL: { value: 'fail', description: 'The script called `fail`.' },
    ERROR: { value: 'error', description: 'The script called neither; `error` says why.' },
  } as const,
})

const TaskErrorCode = builder.enumType('TaskErrorCode', {
  description: 'Why an execution ended without an outcome of its own.',
  values: taskErrorCodes,
})

const TaskLogLevel = builder.enumType('TaskLogLevel', {
  description: 'How much a log entry matters.',
  values: {
    DEBUG: { value: 'debug' },
    INFO: { value: 'info' },
    WARN: { value: 'warn' },
    ERROR: { value: 'error' },
  } as const satisfies Record<string, { value: LogLevel }>,
})

const TaskErrorRef = builder.objectRef<TaskError>('TaskError').implement({
  description: 'What went wrong, in terms of the script.',
  fields: t => ({
    code: t.field({ type: TaskErrorCode, description: 'The kind.', resolve: error => error.code }),
    message: t.exposeString('message', { description: 'What happened.' }),
    line: t.exposeInt('line', { nullable: true, description: 'Line in the source code, from 1.' }),
    column: t.exposeInt('column', { nullable: true, description: 'Column in the line, from 1.' }),
    stack: t.exposeString('stack', { nullable: true, description: 'Frames of the script alone.' }),
  }),
})

const TaskLogEntry = builder.objectRef<LogEntry>('TaskLogEntry').implement({
  description: 'One call of `log` or of a method of `console`.',
  fields: t => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: entry => entry.at }),
    level: t.field({
      type: TaskLogLevel,
      description: 'How much it matters.',
      resolve: entry => entry.level,
    }),
    data: t.field({
      // As one value: to complete each item of its own took most of the time of an answer, and cost nothing.
      type: 'JSON',
      description: 'The arguments of the call, as a list.',
      extensions: costOfLogData,
      resolve({ data, bytes }, _args, { answerBytes }) {
        answerBytes.add(bytes)
        return data
      },
    }),
  }),
})

const RequestContextRef = builder.objectRef<Transaction>('RequestContext').implement({
  description: 'The transaction that the execution was part of.',
  fields: t => ({
    txnID: t.exposeString('txnID', { description: 'A GUID.' }),
    txnSource: t.exposeString('txnSource', {
      description: '`<trigger>|<case type code>/<hook or task name>|<ISO 8601 time>`.',
    }),
  }),
})

export const TaskExecution = builder.objectRef<Execution>('TaskExecution').implement({
  description: 'What came of running a script.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the run.' }),
    name: t.exposeString('name', { description: 'Name of the function or task.' }),
    outcome: t.field({ type: TaskOutcome, description: 'How it ended.', resolve: run => run.outcome }),
    payload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the script gave to `exit`.',
      extensions: costOfResult,
      resolve({ payload, payloadBytes }, _args, { answerBytes }) {
        answerBytes.add(payloadBytes)
        return payload
      },
    }),
    message: t.string({
      nullable: true,
      description: 'What it gave to `fail`.',
      extensions: costOfResult,
      resolve({ message }, _args, { answerBytes }) {
        if (message !== null) answerBytes.add(Buffer.byteLength(JSON.stringify(message)))
        return message
      },
    }),
    error: t.field({
      type: TaskErrorRef,
      nullable: true,
      description: 'What went wrong, if the outcome is `ERROR`.',
      resolve: run => run.error,
    }),
    logs: t.field({
      type: [TaskLogEntry],
      description: 'What it logged.',
      extensions: costOfLogs,
      resolve: run => run.logs,
    }),
    requestContext: t.field({
      type: RequestContextRef,
      description: 'The transaction it was part of.',
      resolve: run => run.requestContext,
    }),
    durationMs: t.exposeFloat('durationMs', { description: 'How long it took, in milliseconds.' }),
  }),
})

import {
  type Execution,
  type LogEntry,
  type LogLevel,
  type RunError,
  type RunErrorCode,
  type Transaction,
  txnSourceForm,
} from '../../domain/scripts/run.ts'
import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'

// Long fields cost a point for about 250 bytes, because aliases can repeat them in the answer. The prices assume the
// default limits (contract, section 4, "Limits").
const costOfResult = cost({ kind: 'fixed', cost: 9_000 })
const costOfLogData = cost({ kind: 'fixed', cost: 3 })
export const entriesOfLog = 1_000
const costOfLogs = cost({ kind: 'list', maxItems: entriesOfLog })

export const TaskOutcome = builder.enumType('TaskOutcome', {
  description: 'How a run ended.',
  values: {
    EXIT: { value: 'exit', description: 'The script called `exit`.' },
    FAIL: { value: 'fail', description: 'The script called `fail`.' },
    ERROR: { value: 'error', description: 'The script called neither; see `error`.' },
  } as const,
})

const TaskErrorCode = builder.enumType('TaskErrorCode', {
  description: 'Why a run ended with the outcome `ERROR`.',
  values: {
    SYNTAX: { description: 'The source code does not parse.' },
    RUNTIME: { description: 'The script threw an error.' },
    NO_OUTCOME: { description: 'The script ended without calling `exit` or `fail`.' },
    TIMEOUT: { description: 'The run used up its time or its processor time.' },
    MEMORY: { description: 'The run used up its memory.' },
    RESULT: { description: 'The script gave `exit` a value that JSON cannot represent.' },
    LIMIT: { description: 'The run went past a size limit, for example that of its result.' },
    CRASHED: { description: 'The sandbox process died.' },
  } as const satisfies Record<RunErrorCode, { description: string }>,
})

const TaskLogLevel = builder.enumType('TaskLogLevel', {
  description: 'Severity of a log entry.',
  values: {
    DEBUG: { value: 'debug' },
    INFO: { value: 'info' },
    WARN: { value: 'warn' },
    ERROR: { value: 'error' },
  } as const satisfies Record<string, { value: LogLevel }>,
})

export const TaskErrorRef = builder.objectRef<RunError>('TaskError').implement({
  description: 'Why a script failed.',
  fields: t => ({
    code: t.expose('code', { type: TaskErrorCode, description: 'Kind of error.' }),
    message: t.exposeString('message', { description: 'What went wrong.' }),
    line: t.exposeInt('line', { nullable: true, description: 'Line of the source code, from 1.' }),
    column: t.exposeInt('column', { nullable: true, description: 'Column of the line, from 1.' }),
    stack: t.exposeString('stack', { nullable: true, description: 'Stack frames of the script only.' }),
    hint: t.string({
      nullable: true,
      description:
        'The first call of the run that was refused, and what to do. For `RUNTIME` only, because a script often\n' +
        'fails over the answer that it did not get.',
      resolve: ({ hint }) => hint ?? null,
    }),
  }),
})

export const TaskLogEntry = builder.objectRef<LogEntry>('TaskLogEntry').implement({
  description: 'One call of `log` or of a `console` method.',
  fields: t => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the call.' }),
    level: t.expose('level', {
      type: TaskLogLevel,
      description: 'Severity.',
    }),
    data: t.field({
      // One JSON value rather than a list: completing each item took most of the time of an answer.
      type: 'JSON',
      description: 'Arguments of the call, as a list.',
      extensions: costOfLogData,
      resolve({ data, bytes }, _args, { answerBytes }) {
        answerBytes.add(bytes)
        return data
      },
    }),
  }),
})

const RequestContextRef = builder.objectRef<Transaction>('RequestContext').implement({
  description: 'The transaction that a run belongs to.',
  fields: t => ({
    txnID: t.exposeString('txnID', { description: 'A GUID.' }),
    txnSource: t.exposeString('txnSource', {
      description: txnSourceForm,
    }),
  }),
})

export const TaskExecution = builder.objectRef<Execution>('TaskExecution').implement({
  description: 'The result of running a script.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the run.' }),
    name: t.exposeString('name', { description: 'Name of the script: its function, task or webhook.' }),
    outcome: t.expose('outcome', { type: TaskOutcome, description: 'How the run ended.' }),
    payload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value given to `exit`; null for other outcomes.',
      extensions: costOfResult,
      resolve({ payload, payloadBytes }, _args, { answerBytes }) {
        answerBytes.add(payloadBytes)
        return payload
      },
    }),
    message: t.string({
      nullable: true,
      description: 'The message given to `fail`; null for other outcomes.',
      extensions: costOfResult,
      resolve({ message }, _args, { answerBytes }) {
        if (message !== null) answerBytes.add(Buffer.byteLength(JSON.stringify(message)))
        return message
      },
    }),
    error: t.expose('error', {
      type: TaskErrorRef,
      nullable: true,
      description: 'What went wrong; null for other outcomes than `ERROR`.',
    }),
    logs: t.expose('logs', {
      type: [TaskLogEntry],
      description: 'Log entries, oldest first.',
      extensions: costOfLogs,
    }),
    requestContext: t.expose('requestContext', {
      type: RequestContextRef,
      description: 'The transaction of the run.',
    }),
    durationMs: t.exposeFloat('durationMs', { description: 'Duration in milliseconds.' }),
  }),
})

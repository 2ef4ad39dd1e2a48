import type { RequestContext } from '../../context.ts'
import { hasScope } from '../../credentials/caller.ts'
import { type RunText, runInputTexts, type StoredRun } from '../../domain/runs/run-store.ts'
import { type KeptCall, type LogEntry, type RunError, txnSourceForm } from '../../domain/scripts/run.ts'
import { maxKeptBytes, maxLogEntries } from '../../fairness/answer-bytes.ts'
import { JsonText } from '../../json/json-text.ts'
import { readStored, type StoredPlace } from '../../json/read-stored.ts'
import { JsonScanner } from '../../json/scanner.ts'
import { costOfSource, readSource } from '../functions/function.ts'
import { Case, FunctionRef, Run } from '../refs.ts'
import { cost, costOfCounted, costOfRecord, costOfText } from '../relay/field-cost.ts'
import { hideErrorOf } from '../scripts/hide-error.ts'
import { entriesOfLog, TaskErrorRef, TaskLogEntry, TaskOutcome } from '../scripts/task-execution.ts'
import { RunCall } from './run-call.ts'
import { HookEvent, RunState, RunTrigger } from './run-enums.ts'

const maxKept = `${maxKeptBytes / 2 ** 10} KiB`
const costOfCalls = cost({ kind: 'list', maxItems: 100 })
const costOfLogs = cost({ kind: 'sharedList', once: 20, maxItems: entriesOfLog, maxInAll: maxLogEntries })

Run.implement({
  description: 'A run of a script that was kept.',
  fields: t => ({
    id: t.exposeID('runId', { description: 'Id of the run, as in its execution.' }),
    trigger: t.expose('trigger', { type: RunTrigger, description: 'What ran it.' }),
    event: t.expose('event', {
      type: HookEvent,
      nullable: true,
      description: 'The event of a hook; null for other triggers.',
    }),
    name: t.exposeString('name', {
      description: 'Name of the script: its function, task or webhook.',
      extensions: costOfText,
    }),
    function: t.field({
      type: FunctionRef,
      nullable: true,
      description:
        'The function, also one that was removed since; null for a script that came with its request.',
      scope: 'functions:read',
      extensions: costOfRecord,
      resolve: async ({ functionId }, _args, { loaders }) => {
        if (functionId === null) return null
        return (await loaders.function.load(functionId)) ?? loaders.removedFunction.load(functionId)
      },
    }),
    functionVersion: t.exposeID('functionVersion', {
      nullable: true,
      description: 'Hash of the version that ran; null for a script that came with its request.',
      extensions: costOfText,
    }),
    case: t.field({
      type: Case,
      nullable: true,
      description: 'The case; null without one, or once it is deleted.',
      scope: 'cases:read',
      extensions: costOfRecord,
      resolve: ({ caseId }, _args, { loaders }) => (caseId === null ? null : loaders.case.load(caseId)),
    }),
    caseId: t.exposeID('caseId', { nullable: true, description: 'Id of the case; null without one.' }),
    caseVersion: t.exposeInt('caseVersion', {
      nullable: true,
      description: 'Stored version of the case when it ran; null without one.',
    }),
    txnID: t.exposeString('txnId', { description: 'Its transaction.', extensions: costOfText }),
    txnSource: t.exposeString('txnSource', {
      description: txnSourceForm,
      extensions: costOfText,
    }),
    parent: t.field({
      type: Run,
      nullable: true,
      description: 'The run whose script started it; null for others, or once that is deleted.',
      scope: 'runs:read',
      extensions: costOfRecord,
      resolve: ({ parentRunId }, _args, { loaders }) =>
        parentRunId === null ? null : loaders.run(parentRunId),
    }),
    replayOf: t.field({
      type: Run,
      nullable: true,
      description: 'The run whose input it ran again.',
      scope: 'runs:read',
      extensions: costOfRecord,
      resolve: ({ replayOf }, _args, { loaders }) => (replayOf === null ? null : loaders.run(replayOf)),
    }),
    attempt: t.exposeInt('attempt', { description: 'From 1.' }),
    state: t.expose('state', { type: RunState, description: 'Its state.' }),
    outcome: t.expose('outcome', {
      type: TaskOutcome,
      nullable: true,
      description: 'How it ended; null if it did not.',
    }),
    message: t.string({
      nullable: true,
      description: 'The message given to `fail`.',
      extensions: costOfCounted,
      resolve: async (run, _args, context) => (await read<string>(run, 'message', context)) ?? null,
    }),
    error: t.field({
      type: TaskErrorRef,
      nullable: true,
      description: 'What went wrong.',
      extensions: costOfCounted,
      resolve: async (run, _args, context) =>
        hideErrorOf({ id: run.runId, name: run.name }, await read<RunError>(run, 'error', context), context),
    }),
    logs: t.field({
      type: [TaskLogEntry],
      description: 'Log entries, oldest first.',
      extensions: costOfLogs,
      async resolve(run, _args, context) {
        const entries = (await read<StoredEntry[]>(run, 'logs', context)) ?? []
        context.answerBytes.addLogEntries(entries.length)
        return entries.map(toEntry)
      },
    }),
    calls: t.field({
      type: [RunCall],
      description: 'Its first 100 calls, in the order of their begin.',
      extensions: costOfCalls,
      resolve: async (run, _args, context) => (await read<KeptCall[]>(run, 'calls', context)) ?? [],
    }),
    input: t.field({
      type: 'JSON',
      nullable: true,
      description: `Its input document; null if it was longer than ${maxKept}, had no room, or is not kept any more.`,
      scope: 'runs:read',
      extensions: costOfCounted,
      resolve: (run, _args, context) => load(run, 'input', context),
    }),
    isInputKept: t.boolean({
      description: 'True if its input document is kept. An `input` of null is then that document.',
      extensions: costOfCounted,
      resolve: isInputKept,
    }),
    sourceCode: t.string({
      nullable: true,
      description:
        'The script that ran. For a function, the source of the version, with the scope `functions:read`; null\n' +
        `without that scope. For a script that came with its request: kept like the input, up to ${maxKept}.`,
      scope: 'runs:read',
      extensions: costOfSource,
      resolve: async (run, _args, context) => {
        const { functionId, functionVersion: hash } = run
        if (functionId === null || hash === null) return read<string>(run, 'source', context)
        if (!hasScope(context.caller, 'functions:read')) return null
        const version = await context.loaders.versionOf({ functionId, hash })
        return version === null ? null : readSource(version, _args, context)
      },
    }),
    options: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Its options without any credential, kept like the input.',
      scope: 'runs:read',
      extensions: costOfCounted,
      resolve: async (run, _args, context) => {
        const text = await loadText(run, 'options', context)
        if (text === null) return null
        const options = readStored<unknown>(text, placeOf(run, 'options'))
        return isDeep(text) ? new JsonText(text) : options
      },
    }),
    payload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value given to `exit`.',
      extensions: costOfCounted,
      resolve: (run, _args, context) => load(run, 'payload', context),
    }),
    isPayloadKept: t.boolean({
      description:
        'True if the value given to `exit` is kept. A `payload` of null is then that value. False if the run gave\n' +
        'none, or one that was too long or had no room in the account or the gateway.',
      resolve: ({ textBytes }) => textBytes.payload !== undefined,
    }),
    byUserId: t.exposeID('byUserId', {
      nullable: true,
      description: 'User id of the credential that ran it; null if it is not an integer.',
    }),
    scopes: t.exposeStringList('scopes', {
      description: 'The scopes that it ran with.',
      extensions: costOfText,
    }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'Time of its start.',
      resolve: ({ startedAt }) => new Date(startedAt),
    }),
    durationMs: t.exposeFloat('durationMs', {
      nullable: true,
      description: 'Duration in milliseconds; null if it did not end.',
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if it could change nothing.' }),
  }),
})

interface StoredEntry extends Omit<LogEntry, 'at' | 'bytes'> {
  readonly at: number
}

// The bytes of the whole log were counted when it was read.
function toEntry({ at, ...entry }: StoredEntry): LogEntry {
  return { ...entry, at: new Date(at), bytes: 0 }
}

// The bytes count before a long value is read, so that a page of them is refused first.
async function loadText(
  { id, textBytes }: StoredRun,
  kind: RunText,
  { answerBytes, loaders }: RequestContext,
): Promise<string | null> {
  const bytes = textBytes[kind]
  if (bytes === undefined) return null
  answerBytes.add(bytes)
  return loaders.runText(kind, id)
}

async function read<Value>(run: StoredRun, kind: RunText, context: RequestContext): Promise<Value | null> {
  const text = await loadText(run, kind, context)
  return text === null ? null : readStored<Value>(text, placeOf(run, kind))
}

// The text becomes a part of the answer as it is, so a broken one would break the whole answer.
async function load(run: StoredRun, kind: RunText, context: RequestContext): Promise<JsonText | null> {
  const text = await loadText(run, kind, context)
  if (text === null) return null
  readStored(text, placeOf(run, kind))
  return new JsonText(text)
}

// An input is deleted together with the options, which are usually the shorter one to read.
async function isInputKept(run: StoredRun, _args: unknown, context: RequestContext): Promise<boolean> {
  const { input, options } = run.textBytes
  if (input === undefined) return false
  return (await loadText(run, options === undefined ? 'input' : 'options', context)) !== null
}

// Maximum levels of options that are written again, so that of a member that is there twice only the last one is shown.
const maxDepth = 1_000

// True for a text with values that `JSON.stringify` might not be able to write.
function isDeep(text: string): boolean {
  return !new JsonScanner({ maxDepth }).write(Buffer.from(text))
}

const inputTexts: readonly RunText[] = runInputTexts

function placeOf({ runId }: StoredRun, kind: RunText): StoredPlace {
  return {
    table: inputTexts.includes(kind) ? 'run_inputs' : 'run_outputs',
    column: kind,
    id: runId,
  }
}

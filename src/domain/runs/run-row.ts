import { maxKeptBytes } from '../../fairness/answer-bytes.ts'
import { writeJson } from '../../json/json-text.ts'
import { escapeSurrogates } from '../../json/surrogates.ts'
import type { RunEnd, RunStart } from '../scripts/run-record.ts'
import { type RunRow, type RunTexts, runTexts } from './run-store.ts'

export interface RowOptions {
  /** False if there was no room for long values. They are left out. */
  readonly hasRoom: boolean
  /** Replaces secrets in a text. */
  readonly hideSecrets: (text: string) => string
}

/** The row of a run, running or ended. */
export function toRow(start: RunStart, end: RunEnd | null, { hasRoom, hideSecrets }: RowOptions): RunRow {
  const { input, writeOptions, sourceCode, cause, bytes: _, accountCode: __, ...facts } = start
  const shown: RunTexts = {
    ...(end === null || hasRoom
      ? { ...short('input', input), ...short('options', writeOptions()), ...sourceOf(sourceCode) }
      : {}),
    ...(end === null ? {} : textsOf(end)),
  }
  const texts: RunTexts = Object.fromEntries(
    Object.entries(shown).map(([kind, text]) => [kind, hideSecrets(text)]),
  )
  const sizes = runTexts.flatMap(kind => {
    const text = texts[kind]
    return text === undefined ? [] : [[kind, Buffer.byteLength(text)] as const]
  })
  return {
    ...facts,
    name: hideSecrets(facts.name),
    txnSource: hideSecrets(facts.txnSource),
    trigger: cause.trigger,
    event: cause.event,
    functionId: cause.function?.id ?? null,
    functionVersion: cause.function?.hash ?? null,
    caseId: cause.case?.id ?? null,
    caseVersion: cause.case?.version ?? null,
    replayOf: cause.replayOf,
    attempt: cause.attempt,
    queuedRunId: cause.queuedRunId,
    dryRun: cause.dryRun,
    state: end === null ? 'running' : 'ended',
    outcome: end?.outcome ?? null,
    durationMs: end?.durationMs ?? null,
    textBytes: Object.fromEntries(sizes),
    texts,
  }
}

function textsOf({ message, error, payload, logs, calls }: RunEnd): RunTexts {
  return {
    ...(payload === null ? {} : short('payload', payload.text)),
    ...(message === null ? {} : { message: JSON.stringify(message) }),
    ...(error === null ? {} : { error: JSON.stringify(error) }),
    ...(logs.length === 0
      ? {}
      : { logs: writeJson(logs.map(({ at, level, data }) => ({ at: at.getTime(), level, data }))) }),
    ...(calls.length === 0 ? {} : { calls: escapeSurrogates(JSON.stringify(calls)) }),
  }
}

// Counted as it was sent, because a JSON text is longer.
function sourceOf(sourceCode: string | null): RunTexts {
  const isKept = sourceCode !== null && Buffer.byteLength(sourceCode) <= maxKeptBytes
  return isKept ? { source: JSON.stringify(sourceCode) } : {}
}

function short(kind: 'input' | 'options' | 'payload', text: string): RunTexts {
  if (Buffer.byteLength(text) > maxKeptBytes) return {}
  return { [kind]: escapeSurrogates(text) }
}

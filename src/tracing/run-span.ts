import type { Span, SpanParent } from './span.ts'

export interface TracedRun {
  readonly runId: string
  readonly txnId: string
  /** The kind of its trigger, as REST writes it. */
  readonly trigger: string
}

export interface TracedEnd {
  readonly outcome: string
  readonly errorCode: string | null
  readonly logs: readonly { readonly at: Date; readonly level: string }[]
}

/** The spans of one run: `rostrum.wait` until it has a sandbox, then `rostrum.run` beside it. */
export interface RunSpans {
  /** Begins `rostrum.run`, or returns it if it has begun. */
  beginRun(): Span
  /** Sets what became of the run. Each log entry is an event that has its level alone. */
  setEnd(end: TracedEnd): void
  /** Ends the span that has not ended. */
  end(): void
}

/** Begins the spans of a run. One that begins a trace is a queued run, which never waits for a sandbox. */
export function beginRunSpans(parent: SpanParent, { runId, txnId, trigger }: TracedRun): RunSpans {
  const attributes = { 'rostrum.run_id': runId, 'rostrum.txn_id': txnId, 'rostrum.trigger': trigger }
  const waiting = parent.traceId === null ? null : parent.begin('rostrum.wait', 'internal', attributes)
  let isWaiting = waiting !== null
  let running: Span | null = null

  function endWait(): void {
    if (isWaiting) waiting?.end()
    isWaiting = false
  }

  return {
    beginRun() {
      endWait()
      running ??= parent.begin('rostrum.run', 'internal', attributes)
      return running
    },
    setEnd({ outcome, errorCode, logs }) {
      for (const { at, level } of logs) running?.addEvent('log', { level }, at)
      running?.set({
        'rostrum.outcome': outcome,
        ...(errorCode !== null && { 'rostrum.error_code': errorCode }),
      })
    },
    end() {
      endWait()
      running?.end()
    },
  }
}

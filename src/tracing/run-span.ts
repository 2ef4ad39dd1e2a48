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
  /** The span of a run that begins a trace; null for others, which have theirs once they have a sandbox. */
  readonly ownTrace: Span | null
  /** Begins `rostrum.run`, or returns it if it has begun. Call it when the run has a sandbox. */
  beginRun(): Span
  /** Sets what became of the run. Each log entry is an event that has its level alone. */
  setEnd(end: TracedEnd): void
  /** Ends the span that has not ended. */
  end(): void
}

/**
 * Begins the spans of a run. One that begins a trace is a queued run, which never waits for a sandbox. A run that gets
 * none has no `rostrum.run`: that span is sent only if it ends.
 */
export function beginRunSpans(parent: SpanParent, { runId, txnId, trigger }: TracedRun): RunSpans {
  const attributes = { 'rostrum.run_id': runId, 'rostrum.txn_id': txnId, 'rostrum.trigger': trigger }
  const begin = (name: string) => parent.begin(name, 'internal', attributes)
  let waiting = parent.traceId === null ? null : begin('rostrum.wait')
  let running = parent.traceId === null ? begin('rostrum.run') : null
  let isAdmitted = false

  function endWait(): void {
    waiting?.end()
    waiting = null
  }

  return {
    ownTrace: running,
    beginRun() {
      endWait()
      isAdmitted = true
      running ??= begin('rostrum.run')
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
      if (isAdmitted) running?.end()
    },
  }
}

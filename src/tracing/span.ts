export type SpanKind = 'server' | 'internal' | 'client'

export type DatabaseSystem = 'sqlite' | 'postgresql'

export type SpanAttributes = Readonly<Record<string, string | number>>

/**
 * Begins spans: a span begins its children, `Tracing` itself begins a trace. It is passed along with the request or the
 * run, so a gateway that sends no traces only compares it with null.
 */
export interface SpanParent {
  /** The id of the trace; null if each span begins a trace of its own. */
  readonly traceId: string | null
  /** The database of the gateway. */
  readonly databaseSystem: DatabaseSystem
  begin(name: string, kind: SpanKind, attributes: SpanAttributes): Span
}

/** A span of a trace. Its names and attributes are those of the contract, section 11.3. */
export interface Span extends SpanParent {
  readonly traceId: string
  /** False if the span is not sent. */
  readonly isSampled: boolean
  set(attributes: SpanAttributes): void
  addEvent(name: string, attributes: SpanAttributes, at: Date): void
  /** Sets the status ERROR. */
  fail(): void
  end(): void
}

/** Sends spans to a collector. As a parent, it begins a trace with each span. */
export interface Tracing extends SpanParent {
  readonly traceId: null
  /** Returns the parent that a `traceparent` header names. Without a valid one, each span begins a trace. */
  continueFrom(traceparent: string | undefined): SpanParent
  /** Sends the spans that are left, for a few seconds at most. */
  close(): Promise<void>
}

import {
  type HrTime,
  SpanKind as OtelKind,
  type SpanContext,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace'
import type { DatabaseSystem, Span, SpanAttributes, SpanKind } from '../span.ts'
import { createSpanId } from './trace-ids.ts'

const kinds = { server: OtelKind.SERVER, internal: OtelKind.INTERNAL, client: OtelKind.CLIENT }
const unset: SpanStatus = { code: SpanStatusCode.UNSET }
const failed: SpanStatus = { code: SpanStatusCode.ERROR }
const instrumentationScope = { name: 'rostrum' }

/** What the spans of a gateway share. */
export interface SpanOutput {
  readonly resource: Resource
  readonly databaseSystem: DatabaseSystem
  /** Maximum events of a span. Later ones are counted and not kept. */
  readonly maxEvents: number
  /** Takes a span that has ended. */
  onEnd(span: ReadableSpan): void
}

interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: SpanAttributes
  readonly traceId: string
  /** The span above it; undefined for the first one of a trace. */
  readonly parent: SpanContext | undefined
  /** When `performance.now()` was 0, in milliseconds since 1970. Without it, the clock is read. */
  readonly epochMs?: number
}

/**
 * A span that is sent. The SDK's own costs several times as much for each span: contexts, limits and a sampler that
 * every span of a trace asks again. This one is what the exporter reads, and nothing else.
 */
export class RecordedSpan implements Span, ReadableSpan {
  readonly isSampled = true
  readonly links = []
  readonly droppedAttributesCount = 0
  readonly droppedLinksCount = 0
  readonly instrumentationScope = instrumentationScope
  readonly name: string
  readonly kind: OtelKind
  readonly traceId: string
  readonly parentSpanContext?: SpanContext
  readonly events: TimedEvent[] = []
  attributes: SpanAttributes
  status = unset
  droppedEventsCount = 0
  readonly #output: SpanOutput
  readonly #context: SpanContext
  readonly #startedAt = performance.now()
  // `performance.timeOrigin` is fixed at the start of the process. A clock that is set later, or a machine that sleeps,
  // moves the time away from it. The spans below share this, so that they are exact among themselves.
  readonly #epochMs: number
  #endedAt: number | null = null

  constructor(output: SpanOutput, { name, kind, attributes, traceId, parent, epochMs }: SpanStart) {
    this.#output = output
    this.#epochMs = epochMs ?? Date.now() - this.#startedAt
    this.name = name
    this.kind = kinds[kind]
    this.attributes = attributes
    this.traceId = traceId
    if (parent !== undefined) this.parentSpanContext = parent
    this.#context = { traceId, spanId: createSpanId(), traceFlags: TraceFlags.SAMPLED }
  }

  get databaseSystem(): DatabaseSystem {
    return this.#output.databaseSystem
  }

  get resource(): Resource {
    return this.#output.resource
  }

  get ended(): boolean {
    return this.#endedAt !== null
  }

  get startTime(): HrTime {
    return toHrTime(this.#epochMs + this.#startedAt)
  }

  get endTime(): HrTime {
    return toHrTime(this.#epochMs + (this.#endedAt ?? this.#startedAt))
  }

  get duration(): HrTime {
    return toHrTime((this.#endedAt ?? this.#startedAt) - this.#startedAt)
  }

  spanContext(): SpanContext {
    return this.#context
  }

  begin(name: string, kind: SpanKind, attributes: SpanAttributes): Span {
    const { traceId } = this
    const place = { traceId, parent: this.#context, epochMs: this.#epochMs }
    return new RecordedSpan(this.#output, { name, kind, attributes, ...place })
  }

  set(attributes: SpanAttributes): void {
    this.attributes = { ...this.attributes, ...attributes }
  }

  addEvent(name: string, attributes: SpanAttributes, at: Date): void {
    if (this.events.length >= this.#output.maxEvents) this.droppedEventsCount++
    else this.events.push({ name, attributes, time: toHrTime(this.#placeInside(at.getTime())) })
  }

  // If the clock was set within the trace, the time of an event lies outside its span.
  #placeInside(ms: number): number {
    const notBefore = Math.max(ms, this.#epochMs + this.#startedAt)
    return Math.min(notBefore, this.#epochMs + performance.now())
  }

  fail(): void {
    this.status = failed
  }

  end(): void {
    if (this.#endedAt !== null) return
    this.#endedAt = performance.now()
    this.#output.onEnd(this)
  }
}

/** A span of a trace that is not sent. Its children are not sent either. */
export class UnsentSpan implements Span {
  readonly isSampled = false
  readonly traceId: string
  readonly databaseSystem: DatabaseSystem

  constructor(traceId: string, databaseSystem: DatabaseSystem) {
    this.traceId = traceId
    this.databaseSystem = databaseSystem
  }

  begin(): Span {
    return this
  }

  set(): void {}

  addEvent(): void {}

  fail(): void {}

  end(): void {}
}

// Milliseconds since 1970 as seconds and nanoseconds.
function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.trunc(milliseconds / 1_000)
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000_000)]
}

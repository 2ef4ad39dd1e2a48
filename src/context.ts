import type { BoundLog } from './bound-log.ts'
import type { Caller } from './credentials/caller.ts'
import type { Loaders } from './domain/loaders.ts'
import type { Origin, PlainOrigin } from './domain/port.ts'
import type { Run } from './domain/scripts/run.ts'
import type { RunFollower } from './domain/scripts/run-follower.ts'
import type { Services } from './domain/services.ts'
import { AnswerBytes } from './fairness/answer-bytes.ts'
import { LongWork } from './fairness/long-work.ts'
import { Pace } from './fairness/pace.ts'
import { Places } from './fairness/places.ts'
import type { ScriptRunner } from './scripts/script-runner.ts'
import type { Span } from './tracing/span.ts'

/** The sender of a request: the caller, and the run if the token is a run's. Such a request belongs to that run. */
export interface Identity {
  readonly caller: Caller
  readonly run: Run | null
}

/** What an operation can call. A traced operation has services of its own, whose calls of the store have spans. */
export interface OperationServices extends Services {
  readonly scripts: ScriptRunner
}

/** Where a query finds what an event of a subscription tells. */
export type EventPlace = { readonly cursor: string } | { readonly runId: string }

/** The context of one GraphQL operation, of a GraphQL or REST request or of a script's `graphql()` call. */
export interface RequestContext {
  readonly services: OperationServices
  readonly requestId: string
  readonly caller: Caller
  /** New for each operation, so that no caller gets records loaded for another. */
  readonly loaders: Loaders
  /** The time by which a change that begins now must be committed, of `performance.now()`. */
  deadlineFromNow(): number
  /** The origin of the operation's next change. With an idempotency key, each change is another step. */
  readonly origin: Origin
  /** The same for the next save of a user, a team or a case type, whose steps have numbers of their own. */
  readonly plainOrigin: PlainOrigin
  /** The run whose script made this call; null for others. It limits the depth and time of nested runs. */
  readonly parentRun: Run | null
  /** Aborted when the caller disconnects or its run ends. Every wait takes it. */
  readonly signal: AbortSignal
  /** Counts the long values of the answer. Each resolver of such a field adds its bytes. */
  readonly answerBytes: AnswerBytes
  /** The place of an event of the subscription, for one that is too long for it. Its source sets it. */
  placeOf: ((event: never) => EventPlace) | null
  /** Begins the answer to the next event of a subscription. */
  beginAnswer(): void
  /** Splits the operation's work into pieces. */
  readonly pace: Pace
  /** Resolves in a later turn of the account, so that the requests of others come between two long steps. */
  nextTurn(): Promise<void>
  /** Creates the steps of one change of long data. */
  createLongWork(): LongWork
  readonly log: BoundLog
  /** Called for each run that this operation starts, for the request's log line. */
  readonly onRun: (run: Run) => void
  /** The span of the operation, or of what asks for it until the operation begins; null if no traces are sent. */
  span: Span | null
  /** Follows the runs that this operation starts; null without a follower. */
  readonly follower: RunFollower | null
  /** A text of the request that was checked with its body: it is JSON. Null without one. */
  readonly knownJson: string | null
  /** Called for each secret that the answer shows once. An answer that is stored for a repeated request has none. */
  onSecret(secret: string): void
  /** Checks the credential again, for long operations. Rejects with `UNAUTHENTICATED` if it is no longer valid. */
  confirmCaller(): Promise<Caller>
}

/** The request or run of an operation. Its signal and log are created on first use. */
export interface ContextSource
  extends Pick<RequestContext, 'requestId' | 'signal' | 'log' | 'onRun' | 'span'> {
  /** The key under which each change of the operation is made once; null without one. */
  readonly idempotencyKey: string | null
  onSecret?(secret: string): void
  /** Follows the runs that the operation starts. */
  readonly follower?: RunFollower | null
  readonly knownJson?: string | null
  /** Maximum bytes of the long values of the answer; by default that of answers over HTTP. */
  readonly maxLongBytes?: number
}

/** What a context is made of, besides its request. */
interface ContextParts {
  readonly services: OperationServices
  /** Returns services whose calls of the store are children of the span. */
  traceServices(span: Span): OperationServices
  readonly maxLongBytes: number
  /** From the start of a change to its deadline, for one that no run asks for. */
  readonly timeoutMs: number
  confirm(caller: Caller): Promise<Caller>
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
  createLoaders(accountCode: string, pace: Pace, span: Span | null): Loaders
}

export type CreateContext = (source: ContextSource, identity: Identity) => RequestContext

/** Returns a function that creates the context of one operation. What few operations need is created on first use. */
export function createContextFactory(parts: ContextParts): CreateContext {
  const { services } = parts
  const places = new Places({ each: 1 })

  class OperationContext implements RequestContext {
    readonly requestId: string
    readonly caller: Caller
    readonly parentRun: Run | null
    placeOf: RequestContext['placeOf'] = null
    span: Span | null
    readonly #source: ContextSource
    #services: OperationServices | null = null
    #loaders: Loaders | null = null
    #signal: AbortSignal | null = null
    #answerBytes: AnswerBytes | null = null
    #pace: Pace | null = null
    #steps = 0
    #plainSteps = 0

    constructor(source: ContextSource, { caller, run }: Identity) {
      this.requestId = source.requestId
      this.caller = caller
      this.parentRun = run
      this.span = source.span
      this.#source = source
    }

    get services(): OperationServices {
      if (this.span === null || !this.span.isSampled) return services
      this.#services ??= parts.traceServices(this.span)
      return this.#services
    }

    get loaders(): Loaders {
      this.#loaders ??= parts.createLoaders(this.caller.accountCode, this.pace, this.span)
      return this.#loaders
    }

    deadlineFromNow(): number {
      return this.parentRun?.deadline ?? performance.now() + parts.timeoutMs
    }

    get origin(): Origin {
      const { accountCode, userId, email } = this.caller
      const transactionId = this.parentRun?.transaction.txnID ?? this.requestId
      return { accountCode, userId, email, transactionId, step: this.#nextStep() }
    }

    // Mutations run one after the other, so the steps of an operation have the same numbers when it is retried.
    #nextStep(): Origin['step'] {
      const { idempotencyKey: key } = this.#source
      if (key === null) return null
      this.#steps += 1
      return { key, number: this.#steps }
    }

    // Counts down, so that other changes keep the numbers that they had before these saves became steps.
    get plainOrigin(): PlainOrigin {
      const { accountCode } = this.caller
      const { idempotencyKey: key } = this.#source
      if (key === null) return { accountCode, step: null }
      this.#plainSteps -= 1
      return { accountCode, step: { key, number: this.#plainSteps } }
    }

    // A request over HTTP with a run's token also ends with the run.
    get signal(): AbortSignal {
      if (this.#signal === null) {
        const { signal } = this.#source
        const ofRun = this.parentRun?.signal ?? signal
        this.#signal = ofRun === signal ? signal : AbortSignal.any([signal, ofRun])
      }
      return this.#signal
    }

    get answerBytes(): AnswerBytes {
      this.#answerBytes ??= new AnswerBytes(this.#source.maxLongBytes ?? parts.maxLongBytes)
      return this.#answerBytes
    }

    beginAnswer(): void {
      this.#answerBytes = null
      this.#loaders?.clear()
    }

    get pace(): Pace {
      this.#pace ??= new Pace(() => parts.waitForTurn(this.caller.accountCode))
      return this.#pace
    }

    nextTurn(): Promise<void> {
      return parts.waitForTurn(this.caller.accountCode)
    }

    createLongWork(): LongWork {
      return new LongWork({
        places,
        accountCode: this.caller.accountCode,
        nextTurn: () => this.nextTurn(),
        readSignal: () => this.signal,
      })
    }

    get log(): BoundLog {
      return this.#source.log
    }

    get onRun(): (run: Run) => void {
      return this.#source.onRun
    }

    get follower(): RunFollower | null {
      return this.#source.follower ?? null
    }

    get knownJson(): string | null {
      return this.#source.knownJson ?? null
    }

    onSecret(secret: string): void {
      this.#source.onSecret?.(secret)
    }

    confirmCaller(): Promise<Caller> {
      return parts.confirm(this.caller)
    }
  }

  return (source, identity) => new OperationContext(source, identity)
}

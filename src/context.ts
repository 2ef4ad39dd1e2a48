import type { Logger } from 'pino'
import type { Caller } from './credentials/caller.ts'
import type { Directory } from './domain/directory/directory.ts'
import type { EventFollowing } from './domain/events/follow-events.ts'
import type { Loaders } from './domain/loaders.ts'
import type { Memberships } from './domain/memberships/memberships.ts'
import type { EventStore, Origin } from './domain/store.ts'
import { AnswerBytes } from './limits/answer-bytes.ts'
import { Pace } from './limits/pace.ts'
import type { Run } from './tasks/run/run.ts'
import type { TaskRunner } from './tasks/task-runner.ts'

/** Who sends a request: the caller, and the run whose token it is, if it is one. Such a request counts as that run's own. */
export interface Identity {
  readonly caller: Caller
  readonly run: Run | null
}

/**
 * What one GraphQL operation carries through the engine, whichever way it came in: a GraphQL or REST request, or the
 * `graphql()` call of a running script.
 */
export interface RequestContext {
  readonly requestId: string
  readonly caller: Caller
  /** Fresh for every operation, so that nothing read for one caller is ever served to another. */
  readonly loaders: Loaders
  readonly memberships: Memberships
  readonly directory: Directory
  readonly events: EventStore
  readonly eventFollowing: EventFollowing
  readonly tasks: TaskRunner
  /** On whose behalf this operation makes its next change. Of a request with an idempotency key each is another step. */
  readonly origin: Origin
  /** The run whose script is asking, if one is: it bounds depth and time of the runs it starts. */
  readonly parentRun: Run | null
  /** Aborted when the caller has gone away or its run has ended; every wait below takes it. */
  readonly signal: AbortSignal
  /** What of the operation's answer can be long: each resolver of such a field adds its bytes. */
  readonly answerBytes: AnswerBytes
  /** Splits the operation's work into pieces. */
  readonly pace: Pace
  readonly log: Logger
  /** Told of each run that this operation starts, for the request's log line. */
  readonly onRun: (run: Run) => void
  /** The caller as its credential says now, for what lasts; rejects with `UNAUTHENTICATED` once that is no longer good. */
  confirmCaller(): Promise<Caller>
}

/** The request, or the run, that an operation comes from. Its signal and its log are made when they are first asked for. */
export interface ContextSource extends Pick<RequestContext, 'requestId' | 'signal' | 'log' | 'onRun'> {
  /** Under which each change of this operation is made once; null where it may be made again. */
  readonly idempotencyKey: string | null
  /** Of what can be long in the answer; the maximum of answers over HTTP unless given. */
  readonly maxLongBytes?: number
}

/** What every operation finds the same. */
export interface Services
  extends Pick<RequestContext, 'memberships' | 'directory' | 'events' | 'eventFollowing' | 'tasks'> {
  readonly maxLongBytes: number
  confirm(caller: Caller): Promise<Caller>
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
  createLoaders(accountCode: string, pace: Pace): Loaders
}

export type CreateContext = (source: ContextSource, identity: Identity) => RequestContext

/** A function to a fresh context for one operation. What most operations never ask for is made when one does. */
export function createContextFactory(services: Services): CreateContext {
  return (source, identity) => new OperationContext(services, source, identity)
}

class OperationContext implements RequestContext {
  readonly requestId: string
  readonly caller: Caller
  readonly memberships: Memberships
  readonly directory: Directory
  readonly events: EventStore
  readonly eventFollowing: EventFollowing
  readonly tasks: TaskRunner
  readonly parentRun: Run | null
  readonly #services: Services
  readonly #source: ContextSource
  #loaders: Loaders | null = null
  #signal: AbortSignal | null = null
  #answerBytes: AnswerBytes | null = null
  #pace: Pace | null = null
  #steps = 0

  constructor(services: Services, source: ContextSource, { caller, run }: Identity) {
    this.requestId = source.requestId
    this.caller = caller
    this.memberships = services.memberships
    this.directory = services.directory
    this.events = services.events
    this.eventFollowing = services.eventFollowing
    this.tasks = services.tasks
    this.parentRun = run
    this.#services = services
    this.#source = source
  }

  get loaders(): Loaders {
    this.#loaders ??= this.#services.createLoaders(this.caller.accountCode, this.pace)
    return this.#loaders
  }

  get origin(): Origin {
    const { accountCode, userId, email } = this.caller
    const transactionId = this.parentRun?.transaction.txnID ?? this.requestId
    return { accountCode, userId, email, transactionId, step: this.#nextStep() }
  }

  // Mutations run one after the other, so that the steps of an operation have the same numbers whenever it is tried.
  #nextStep(): Origin['step'] {
    const { idempotencyKey: key } = this.#source
    if (key === null) return null
    this.#steps += 1
    return { key, number: this.#steps }
  }

  // What a run asks for over HTTP, with its token, ends with it as well.
  get signal(): AbortSignal {
    if (this.#signal === null) {
      const { signal } = this.#source
      const ofRun = this.parentRun?.signal ?? signal
      this.#signal = ofRun === signal ? signal : AbortSignal.any([signal, ofRun])
    }
    return this.#signal
  }

  get answerBytes(): AnswerBytes {
    this.#answerBytes ??= new AnswerBytes(this.#source.maxLongBytes ?? this.#services.maxLongBytes)
    return this.#answerBytes
  }

  get pace(): Pace {
    this.#pace ??= new Pace(() => this.#services.waitForTurn(this.caller.accountCode))
    return this.#pace
  }

  get log(): Logger {
    return this.#source.log
  }

  get onRun(): (run: Run) => void {
    return this.#source.onRun
  }
  confirmCaller(): Promise<Caller> {
    return this.#services.confirm(this.caller)
  }
}

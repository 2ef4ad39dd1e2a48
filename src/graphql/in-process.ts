import type { Logger } from 'pino'
import type { CreateContext, RequestContext } from '../context.ts'
import type { FairTurns } from '../fairness/fair-turns.ts'
import type { Refusal } from './bounds/check-operation.ts'
import type { Answer, Engine } from './engine.ts'
import { maskError } from './mask-error.ts'

/** The answer to a script's `graphql()` call: a status and a JSON body, as over HTTP. */
export interface InProcessAnswer {
  readonly status: number
  readonly body: unknown
}

export interface InProcessCall {
  readonly query: string
  /** Parses the variables. Called in the turn of the call, because parsing takes time. */
  readVariables(): Record<string, unknown>
  /** Null if the script has read the answers sent to it; otherwise resolves when it has. */
  untilRead(): Promise<void> | null
  readonly run: NonNullable<RequestContext['parentRun']>
  readonly log: Logger
}

export interface InProcessParts {
  readonly engine: Engine
  readonly turns: FairTurns
  readonly createContext: CreateContext
  /** The limit of results, messages and logs in one answer, in bytes. */
  readonly maxLongBytes: number
  /** Rejects with `UNAUTHENTICATED` if the credential of the run is no longer valid. */
  confirm(caller: RequestContext['caller']): Promise<unknown>
}

/**
 * Executes a script's `graphql()` call. The call takes its turn among the requests of all accounts. It is not executed
 * if its run has ended by then, and it waits while the script has not read its earlier answers.
 */
export function createInProcess({ engine, turns, createContext, maxLongBytes, confirm }: InProcessParts) {
  async function takeTurn({ run: { caller, signal }, untilRead }: InProcessCall): Promise<void> {
    for (;;) {
      await turns.wait(caller.accountCode)
      signal.throwIfAborted()
      const read = untilRead()
      if (read === null) return
      await read
      signal.throwIfAborted()
    }
  }

  return async (call: InProcessCall): Promise<InProcessAnswer> => {
    const { query, run, log } = call
    const { id, caller, signal } = run
    signal.throwIfAborted()
    await confirm(caller).catch((error: unknown) => {
      throw maskError(error, { requestId: id, log })
    })
    await takeTurn(call)
    const variables = call.readVariables()
    // A run is not repeated under an idempotency key, so its calls need none.
    const source = {
      requestId: id,
      idempotencyKey: null,
      signal,
      maxLongBytes,
      log,
      onRun: () => {},
    }
    return toAnswer(await engine.execute({ query, variables }, createContext(source, { caller, run })))
  }
}

// Errors of the document or of resolvers are a 200 with `errors`; an exceeded bound or a subscription is a 400
// (contract, section 4). A call that a dry run refuses rejects (section 7).
function toAnswer({ refusedBy, result, failures }: Answer): InProcessAnswer {
  if (refusedBy === 'dry run') throw failures[0]
  const errors = result.errors?.map(error => error.toJSON())
  const body = { ...(errors && { errors }), ...('data' in result && { data: result.data }) }
  return { status: statusOf(refusedBy), body }
}

function statusOf(refusedBy: Refusal | null): number {
  if (refusedBy === 'fault') return 500
  return refusedBy === 'bounds' || refusedBy === 'no stream' ? 400 : 200
}

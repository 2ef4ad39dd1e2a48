import type { Logger } from 'pino'
import type { CreateContext, RequestContext } from '../context.ts'
import type { FairTurns } from '../limits/fair-turns.ts'
import type { Refusal } from './bounds/admit-operation.ts'
import type { Answer, Engine } from './engine.ts'

/** What the `graphql()` of a script gets to see of an answer: a status and a JSON body, as over HTTP. */
export interface InProcessAnswer {
  readonly status: number
  readonly body: unknown
}

export interface InProcessCall {
  readonly query: string
  /** Reads the variables, in the call's turn: that takes its time as well. */
  readVariables(): Record<string, unknown>
  /** Null where the script has read the answers that it was sent, else resolves when it has. */
  untilRead(): Promise<void> | null
  readonly run: NonNullable<RequestContext['parentRun']>
  readonly log: Logger
}

export interface InProcessDoorParts {
  readonly engine: Engine
  readonly turns: FairTurns
  readonly createContext: CreateContext
  /** Of what can be long in one answer, counted before it becomes a part of it. */
  readonly maxLongBytes: number
  /** Rejects with `UNAUTHENTICATED` once the credential of the run is no longer good. */
  confirm(caller: RequestContext['caller']): Promise<unknown>
}

/**
 * The way in for the `graphql()` of a running script. Each call takes its turn among the requests of all accounts; a call whose
 * run has ended by then is not executed, and one whose answer would have to wait for its reader is executed later.
 */
export function createInProcessDoor({
  engine,
  turns,
  createContext,
  maxLongBytes,
  confirm,
}: InProcessDoorParts) {
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
    await confirm(caller)
    await takeTurn(call)
    const variables = call.readVariables()
    // What a script does is not repeated: its run is not.
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

// Errors in the document or in resolvers are 200 with `errors`; what the bounds refuse is 400, and so is a subscription
// (contract, section 4).
function toAnswer({ refusedBy, result }: Answer): InProcessAnswer {
  const errors = result.errors?.map(error => error.toJSON())
  const body = { ...(errors && { errors }), ...('data' in result && { data: result.data }) }
  return { status: statusOf(refusedBy), body }
}

function statusOf(refusedBy: Refusal | null): number {
  if (refusedBy === 'fault') return 500
  return refusedBy === 'bounds' || refusedBy === 'no stream' ? 400 : 200
}

import type { CreateContext, RequestContext } from '../context.ts'
import type { ExecuteGraphql, GraphqlCall, GraphqlCallAnswer } from '../domain/scripts/graphql-call.ts'
import type { FairTurns } from '../fairness/fair-turns.ts'
import type { Refusal } from './bounds/check-operation.ts'
import type { Answer, Engine } from './engine.ts'
import { maskError } from './mask-error.ts'

export interface InProcessParts {
  readonly engine: Engine
  readonly turns: FairTurns
  readonly createContext: CreateContext
  /** Maximum bytes of all results, messages and logs in one answer. */
  readonly maxLongBytes: number
  /** Rejects with `UNAUTHENTICATED` if the credential of the run is no longer valid. */
  confirm(caller: RequestContext['caller']): Promise<unknown>
}

/**
 * Returns a function that executes a script's `graphql()` call. Calls take turns with the requests of all accounts, and
 * wait while the script has not read its earlier answers. A call is dropped if its run has ended before its turn.
 */
export function createInProcess({
  engine,
  turns,
  createContext,
  maxLongBytes,
  confirm,
}: InProcessParts): ExecuteGraphql {
  async function takeTurn({ run: { caller, signal }, untilRead }: GraphqlCall): Promise<void> {
    for (;;) {
      await turns.wait(caller.accountCode)
      signal.throwIfAborted()
      const read = untilRead()
      if (read === null) return
      await read
      signal.throwIfAborted()
    }
  }

  return async call => {
    const { query, run, log } = call
    const { id, caller, signal } = run
    signal.throwIfAborted()
    await confirm(caller).catch((error: unknown) => {
      throw maskError(error, { requestId: id, log })
    })
    await takeTurn(call)
    const variables = call.readVariables()
    // The call has no idempotency key, because a run is never repeated under one.
    const source = {
      requestId: id,
      idempotencyKey: null,
      signal,
      maxLongBytes,
      log,
      onRun: () => {},
      span: run.span ?? null,
      follower: { onBegun: call.onRunBegun },
    }
    return toAnswer(await engine.execute({ query, variables }, createContext(source, { caller, run })))
  }
}

// Errors of the document or of resolvers are a 200 with `errors`; an exceeded bound or a subscription is a 400
// (contract, section 4). A call that a dry run refuses rejects (section 7).
function toAnswer({ refusedBy, result, failures }: Answer): GraphqlCallAnswer {
  if (refusedBy === 'dry run') throw failures[0]
  const errors = result.errors?.map(error => error.toJSON())
  const body = { ...(errors && { errors }), ...('data' in result && { data: result.data }) }
  return { status: statusOf(refusedBy), body }
}

function statusOf(refusedBy: Refusal | null): number {
  if (refusedBy === 'fault') return 500
  return refusedBy === 'bounds' || refusedBy === 'no stream' ? 400 : 200
}

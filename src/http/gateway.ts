import type { Logger } from 'pino'
import type { RequestContext } from '../context.ts'
import type { Authenticate, Identity } from '../credentials/authenticator.ts'
import { RostrumError } from '../errors.ts'
import type { Engine } from '../graphql/engine.ts'
import type { RequestScope } from './request-scope.ts'

export interface ContextRequest {
  readonly requestId: string
  readonly identity: Identity
  readonly signal: AbortSignal
  readonly log: Logger
  readonly onRun: RequestContext['onRun']
}

/** What the way in over HTTP stands on; wired in `app.ts`. */
export interface Gateway {
  readonly engine: Engine
  readonly authenticate: Authenticate
  /** A fresh context for one operation. */
  createContext(request: ContextRequest): RequestContext
  /** What the service still waits for before it can serve; empty when it is ready. */
  findUnready(): Promise<string[]>
  /** Keeps a place for a run that is being read, until what it gives is called; `OVERLOADED` where there is none. */
  holdRunPlace(accountCode: string): () => void
  readonly bodyBytes: number
  /** Most requests of one account in work or waiting. */
  readonly accountRequests: number
  readonly log: Logger
}

/** Executes an operation of a request whose credential was checked, and notes what the log line needs. */
export async function executeFor(
  scope: RequestScope,
  { engine, createContext }: Gateway,
  operation: Parameters<Engine['execute']>[0],
) {
  const { identity, requestId, signal, log } = scope
  if (identity === null) throw new RostrumError('UNAUTHENTICATED', 'No credential was checked on this path.')
  const onRun: ContextRequest['onRun'] = ({ transaction }) => {
    scope.txnId = transaction.txnID
    scope.releaseRunPlace()
  }
  return engine.execute(operation, createContext({ requestId, identity, signal, log, onRun }))
}

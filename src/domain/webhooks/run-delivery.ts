import { type Caller, callerOfTrigger } from '../../credentials/caller.ts'
import { RostrumError } from '../../errors.ts'
import { traceStore } from '../../tracing/trace-store.ts'
import type { FunctionStore } from '../functions/function-store.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import type { Execution } from '../scripts/run.ts'
import { makeCause } from '../scripts/run-cause.ts'
import type { Asking, Scripts } from '../scripts/script.ts'
import type { Webhook } from './webhook-store.ts'

/** What the function of a webhook gets, as JSON texts. */
export interface DeliveryInput {
  readonly payload: string
  readonly options: string
}

export interface Delivery {
  readonly webhook: Webhook
  readonly input: DeliveryInput
  /** Has the caller that `callerOf` returns. */
  readonly asking: Asking
}

/**
 * Runs the live version of the webhook's function, and keeps the run of a failure before it resolves. A script that
 * fails is a result, not an error. `CONFLICT` if the webhook was removed meanwhile.
 */
export type RunDelivery = (delivery: Delivery) => Promise<Execution>

interface Dependencies {
  readonly functions: Pick<FunctionStore, 'findLive'>
  readonly scripts: Scripts
  readonly deferRuns: () => DeferredRuns
}

/** The cause of a delivery: no user sends it. */
export const nobody = { userId: null, subject: null, email: null, displayName: null }

/** The account itself, with the rights of the webhook. */
export function callerOf(accountCode: string, { scopes }: Webhook): Caller {
  return callerOfTrigger({ accountCode, causedBy: nobody, scopes, rightsOf: 'webhook' })
}

export function createRunDelivery({ functions, scripts, deferRuns }: Dependencies): RunDelivery {
  return async ({ webhook, input, asking }) => {
    const live = await traceStore(functions, asking.span ?? null).findLive(
      asking.caller.accountCode,
      webhook.functionId,
    )
    // A function is not removed while a webhook uses it, but both may have been removed since the webhook was read.
    if (live === null) throw new RostrumError('CONFLICT', 'The webhook was removed.', { reason: 'CHANGED' })
    const { id, name, hash, sourceCode } = live
    const cause = makeCause({ trigger: 'webhook', function: { id, name, hash } })
    const script = {
      cause,
      name: webhook.name,
      sourceCode,
      ...input,
      caseTypeCode: null,
      rights: 'caller',
    } as const
    const recorder = deferRuns()
    const execution = await scripts.run(script, asking, { recorder }).finally(recorder.keep)
    // The answer names the run of a failure, so the run must be stored before the answer.
    if (execution.outcome !== 'exit') await recorder.whenKept()
    return execution
  }
}

import type { Caller } from '../../credentials/caller.ts'
import { parseId, parseOptionalId } from '../../domain/id.ts'
import type { FunctionChoice } from '../../domain/triggers/complete-trigger.ts'
import type { TriggerFilter } from '../../domain/triggers/trigger-store.ts'
import { invalidInput } from '../../errors.ts'
import { missingScopes, readScopes } from './trigger-scopes.ts'

interface TriggerArguments {
  readonly id?: string | null | undefined
  readonly functionId?: string | null | undefined
  readonly functionName?: string | null | undefined
  readonly scopes?: readonly string[] | null | undefined
}

/**
 * Reads the members that the inputs of hooks, tasks and webhooks have in common. A value that is left out stays out, so
 * that the stored value stays unchanged.
 */
export function readGivenTrigger<Input extends TriggerArguments>(
  { id, functionId, functionName, scopes, ...given }: Input,
  caller: Caller,
) {
  return {
    ...given,
    function: readFunctionChoice({ id, functionId, functionName }),
    scopes: scopes == null ? scopes : readScopes(scopes),
    missingScopes: (all: readonly string[]) => missingScopes(caller, all),
  }
}

/** Reads the arguments of a list of triggers. */
export function readTriggerFilter({
  caseTypeCode,
  functionId,
}: Pick<TriggerArguments, 'functionId'> & {
  readonly caseTypeCode?: string | null | undefined
}): TriggerFilter {
  return {
    caseTypeCode: caseTypeCode ?? null,
    functionId: parseOptionalId(functionId, 'function id'),
  }
}

function readFunctionChoice({ id, functionId, functionName }: TriggerArguments): FunctionChoice | undefined {
  if (functionId != null && functionName != null) {
    throw invalidInput([{ pointer: '/functionName', detail: 'must not stand beside `functionId`: give one' }])
  }
  if (functionId != null) return { id: parseId(functionId, 'function id') }
  if (functionName != null) return { name: functionName }
  if (functionId === undefined && functionName === undefined) return undefined
  const name = functionId === undefined ? 'functionName' : 'functionId'
  const rule = id == null ? ': a new trigger needs a function' : '; leave it out to keep it'
  throw invalidInput([{ pointer: `/${name}`, detail: `must not be null${rule}` }])
}

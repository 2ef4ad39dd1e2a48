import type { RequestContext } from '../../context.ts'
import type { StoredFunction } from '../../domain/functions/function-store.ts'
import { cost } from '../relay/field-cost.ts'

/** Descriptions of the fields that hooks and case tasks have in common. */
export const triggerText = {
  caseTypeCode: 'Code of the case type.',
  functionId: 'The function whose live version runs.',
  scopes: 'Scopes of its runs, for every caller.',
  input: 'With an `id`, what is left out stays as it is; null is refused where a value is required.',
  required: 'Required for a new one.',
  givenFunctionId: 'Id of the function whose live version runs. A new one needs this or `functionName`.',
  functionName:
    'Name of the function, instead of `functionId`: that of the case type, else that of all case types.',
  givenScopes:
    'Scopes of its runs, for every caller. Your credential must have each. Default for a new one: none.',
  enabled: 'True if it runs.',
  givenEnabled: 'True if it runs. Default for a new one: true.',
  listed: 'Code of a case type. Default: all, up to 1,000.',
} as const

/** A case type has at most 40 hooks and 50 tasks. */
export const costOfTriggers = cost({
  kind: 'list',
  maxItems: 1_000,
  narrowed: { by: 'caseTypeCode', maxItems: 50 },
})

/** Returns the function of a trigger. Its fields need `functions:read`, since they lead to its source code. */
export async function functionOf(
  { functionId }: { readonly functionId: number },
  _args: object,
  { loaders }: RequestContext,
): Promise<StoredFunction> {
  const row = await loaders.function.load(functionId)
  // A function is not removed while a trigger uses it.
  if (row === null) throw new Error('The function of a trigger is missing.')
  return row
}

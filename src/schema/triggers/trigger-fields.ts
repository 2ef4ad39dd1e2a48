import type { ArgBuilder } from '@pothos/core'
import type { RequestContext } from '../../context.ts'
import type { StoredFunction } from '../../domain/functions/function-store.ts'
import { maxListed, maxTasksOfType } from '../../domain/triggers/triggers.ts'
import type { SchemaTypes } from '../builder.ts'
import { FunctionRef } from '../refs.ts'
import { cost, costOfRecord, costOfText } from '../relay/field-cost.ts'

/** Descriptions that several kinds of triggers have in common. */
export const triggerText = {
  caseTypeCode: 'Code of the case type.',
  input: 'With an `id`, what is left out stays as it is; null is refused where a value is required.',
  required: 'Required for a new one.',
} as const

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>

interface TriggerRow {
  readonly functionId: number
  readonly scopes: readonly string[]
  readonly enabled: boolean
}

/** The fields that every saved trigger has. */
export function triggerFields(t: PothosSchemaTypes.ObjectFieldBuilder<Types, TriggerRow>) {
  return {
    function: t.field({
      type: FunctionRef,
      description: 'The function whose live version runs.',
      scope: 'functions:read',
      extensions: costOfRecord,
      resolve: functionOf,
    }),
    scopes: t.exposeStringList('scopes', {
      description: 'Scopes of its runs, for every caller.',
      extensions: costOfText,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'True if it runs.' }),
  }
}

/** The members that the input of every saved trigger has. `foundBy` says which function a name means. */
export function triggerInputFields(
  t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>,
  foundBy = 'that of the case type, else that of all case types',
) {
  return {
    functionId: t.id({
      description: 'Id of the function whose live version runs. A new one needs this or `functionName`.',
    }),
    functionName: t.string({ description: `Name of the function, instead of \`functionId\`: ${foundBy}.` }),
    scopes: t.stringList({
      description:
        'Scopes of its runs, for every caller. Your credential must have each. Default for a new one: none.',
    }),
    enabled: t.boolean({ description: 'True if it runs. Default for a new one: true.' }),
  }
}

/** The arguments of a list of hooks or tasks. */
export function triggerFilterArgs(arg: ArgBuilder<Types>) {
  return {
    caseTypeCode: arg.string({ description: 'Code of a case type. Default: all, up to 1,000 in the list.' }),
    functionId: arg.id({ description: 'Id of the function that they run. Default: all functions.' }),
  }
}

/** A case type has at most 40 hooks and 50 tasks. */
export const costOfTriggers = cost({
  kind: 'list',
  maxItems: maxListed,
  narrowed: { by: 'caseTypeCode', maxItems: maxTasksOfType },
})

// Its fields need `functions:read`, since they lead to its source code.
async function functionOf(
  { functionId }: { readonly functionId: number },
  _args: object,
  { loaders }: RequestContext,
): Promise<StoredFunction> {
  const row = await loaders.function.load(functionId)
  // A function is not removed while a trigger uses it.
  if (row === null) throw new Error('The function of a trigger is missing.')
  return row
}

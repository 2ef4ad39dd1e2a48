import type { CompleteTrigger } from '../../../src/domain/triggers/complete-trigger.ts'

/** The work of a save that gives every value of a trigger. */
export function complete<Input extends { readonly functionId: number }>(given: Input) {
  const { functionId, ...values } = given
  return (): CompleteTrigger<Input> => ({ ...values, function: { id: functionId } })
}

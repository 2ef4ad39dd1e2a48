import { type FieldError, invalidInput, RostrumError } from '../../errors.ts'
import { describeFunction, noFunction } from '../functions/function-refusals.ts'
import { badName, isName } from '../name.ts'
import type { SavedTriggerName } from '../scripts/trigger-kinds.ts'

/**
 * A function by its id or its name. A name means the function of the trigger's case type, else the function without a
 * case type.
 */
export type FunctionChoice = { readonly id: number } | { readonly name: string }

/** A trigger with every value. The store looks its function up. */
export type CompleteTrigger<Input> = Omit<Input, 'functionId'> & { readonly function: FunctionChoice }

/**
 * Completes what a caller sends: with the values of the trigger, or for a new one (null) with defaults. Returns the
 * refusal of bad values. Runs inside the transaction that saves the trigger, and again if that is repeated.
 */
export type Complete<Input> = (before: Input | null) => CompleteTrigger<Input> | RostrumError

/** The values of a trigger that a caller sends. A value that is left out (undefined) stays unchanged. */
export type GivenTrigger<Input> = {
  readonly [Name in keyof Omit<Input, 'functionId'>]?: Input[Name] | null | undefined
} & {
  readonly function?: FunctionChoice | undefined
  /** Refuses scopes that the caller may not give to a script. It sees all scopes that the trigger will have. */
  readonly missingScopes: (scopes: readonly string[]) => RostrumError | null
}

export interface TriggerRules<Input> {
  /** For messages, such as `hook`. */
  readonly what: SavedTriggerName
  /** The values that a new trigger may leave out. */
  readonly defaults: Partial<Input>
  /** The values that a new trigger needs. */
  readonly required: readonly (keyof Input & string)[]
  /** The values that may be null. */
  readonly nullable?: readonly (keyof Input & string)[]
  /** Finds what is wrong with a complete trigger. */
  readonly check: (trigger: CompleteTrigger<Input>) => readonly FieldError[]
}

/** Returns a function that completes `given` by the rules of its kind (contract, section 9, "Triggers"). */
export function completeBy<Input extends { readonly functionId: number; readonly scopes: readonly string[] }>(
  { what, defaults, required, nullable = [], check }: TriggerRules<Input>,
  { function: chosen, missingScopes, ...given }: GivenTrigger<Input>,
): Complete<Input> {
  const names = [...required, ...Object.keys(defaults)] as (keyof Input & string)[]
  const values = given as Readonly<Partial<Record<string, unknown>>>
  const refuseNull = (name: keyof Input & string, before: Input | null): string => {
    if (before !== null) return 'must not be null; leave it out to keep it'
    return required.includes(name)
      ? `must not be null: a new ${what} needs it`
      : 'must not be null; leave it out to have the default'
  }
  const problemOf = (name: keyof Input & string, value: unknown, before: Input | null): FieldError[] => {
    if (value === undefined) return [missing(name, what)]
    if (value !== null || nullable.includes(name)) return []
    return [{ pointer: `/${name}`, detail: refuseNull(name, before) }]
  }
  const merge = (before: Input | null): Record<string, unknown> => {
    const start: Partial<Input> = before ?? defaults
    const used = before === null ? undefined : { id: before.functionId }
    const merged: Record<string, unknown> = { function: chosen ?? used }
    for (const name of names) merged[name] = values[name] === undefined ? start[name] : values[name]
    return merged
  }
  return before => {
    const merged = merge(before)
    const problems = names.flatMap(name => problemOf(name, merged[name], before))
    if (merged.function === undefined) problems.push(missing('functionId', what))
    if (problems.length > 0) return invalidInput(problems)
    const trigger = merged as unknown as CompleteTrigger<Input>
    const wrong = check(trigger)
    return wrong.length > 0 ? invalidInput(wrong) : (missingScopes(trigger.scopes) ?? trigger)
  }
}

/** The problem of a case type code; none if it is good. */
export function checkCode(caseTypeCode: string): FieldError[] {
  return isName(caseTypeCode) ? [] : [{ pointer: '/caseTypeCode', detail: badName(caseTypeCode) }]
}

/** Says where a name was looked for: a function of another case type may have it. */
export function noChosenFunction(
  chosen: FunctionChoice,
  caseTypeCode: string | null,
  what: SavedTriggerName,
): RostrumError {
  if ('id' in chosen) return noFunction(chosen.id)
  const { name } = chosen
  if (caseTypeCode === null) {
    const message = `There is no function ${describeFunction(name)} of all case types, and a ${what} takes no other.`
    return new RostrumError('NOT_FOUND', message)
  }
  const ofType = describeFunction({ name, caseTypeCode })
  return new RostrumError('NOT_FOUND', `There is no function ${ofType}, nor one of all case types.`)
}

function missing(name: string, what: string): FieldError {
  const detail = `is required for a new ${what}${name === 'functionId' ? ', unless you give `functionName`' : ''}`
  return { pointer: `/${name}`, detail }
}

import { RostrumError } from '../../errors.ts'
import { shorten } from '../../json/surrogates.ts'
import type { CaseTask, Hook } from './trigger-store.ts'

// Maximum length of a name in a message.
const maxShownCharacters = 70

export function tooManyHooks({ caseTypeCode, event }: Hook, max: number): RostrumError {
  return tooMany(
    `The case type \`${caseTypeCode}\` has \`${max}\` hooks of the event \`${event}\`, disabled ones included`,
  )
}

export function tooManyTasks({ caseTypeCode }: CaseTask, max: number): RostrumError {
  return tooMany(`The case type \`${caseTypeCode}\` has \`${max}\` tasks`)
}

function tooMany(message: string): RostrumError {
  return new RostrumError('CONFLICT', `${message}, the maximum. Remove one that is not needed.`, {
    reason: 'LIMIT',
  })
}

/** Another task of the type has the name. */
export function sameName({ name, caseTypeCode }: CaseTask, existingId: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The case type \`${caseTypeCode}\` has a task \`${name}\` already: the task with the id \`${existingId}\`. ` +
      'Change that one or choose another name.',
    { reason: 'NAME_TAKEN', facts: { existingId } },
  )
}

/** True for the failure of a save whose case was changed or deleted after it was read. */
export function hasConflict(error: unknown): boolean {
  return error instanceof RostrumError && (error.code === 'PRECONDITION_FAILED' || error.code === 'NOT_FOUND')
}

export function changedMeanwhile(id: number, name: string): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `Case \`${id}\` was changed or deleted while the task \`${name}\` ran, so its result was not saved. The task ` +
      'was not run again.',
    { reason: 'CASE_CHANGED' },
  )
}

export function noTask(name: string, caseTypeCode: string): RostrumError {
  const shown = shorten(name, maxShownCharacters)
  return new RostrumError(
    'NOT_FOUND',
    `The case type \`${caseTypeCode}\` has no task \`${shown}\` that is enabled.`,
  )
}

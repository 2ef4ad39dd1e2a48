import { RostrumError } from '../../errors.ts'
import type { CaseTask, Hook } from './trigger-store.ts'

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

import { invalidInput, notFound, RostrumError } from '../../errors.ts'
import { shorten } from '../../json/surrogates.ts'
import type { CaseChangeKind, Run } from '../scripts/run.ts'
import { staleRecord } from '../stale-record.ts'
import type { Case } from './case-store.ts'

// Maximum length of a name in a message.
const maxShownCharacters = 70

export function noCase(id: number): RostrumError {
  return notFound('case', id)
}

/** Throws `PRECONDITION_FAILED` if the case is at none of the versions `ifVersions`. Null allows every version. */
export function refuseStale(
  { id, version }: Pick<Case, 'id' | 'version'>,
  ifVersions: readonly number[] | null,
): void {
  if (ifVersions === null || ifVersions.includes(version)) return
  throw staleRecord('case', { id, version, ifVersions })
}

/** Refuses a call of a script that would change a case which the script's own transaction is saving or deleting. */
export function refuseOwnCase(id: number, parentRun: Run | null): void {
  const kind = parentRun?.changingCases.get(id)
  if (kind === undefined) return
  throw new RostrumError('CONFLICT', `Case \`${id}\` is being ${ownCaseRules[kind]}`, { reason: 'OWN_CASE' })
}

const ownCaseRules: Readonly<Record<CaseChangeKind, string>> = {
  save: 'saved by the transaction of this run. Change `payload` and give it to `exit`.',
  delete: 'deleted by the transaction of this run. Call `exit` to allow the delete, or `fail` to refuse it.',
}

export function tooManyConflicts(id: number | null): RostrumError {
  const what = id === null ? 'The case type' : `Case \`${id}\``
  return new RostrumError(
    'CONFLICT',
    `${what} changed during each of three attempts, so nothing was saved. Read it again and retry.`,
    { reason: id === null ? 'CHANGED' : 'CASE_CHANGED' },
  )
}

export function otherCaseType(id: number, caseTypeCode: string): RostrumError {
  return invalidInput([
    {
      pointer: '/caseTypeCode',
      detail: `cannot change: case \`${id}\` is of the type \`${caseTypeCode}\``,
    },
  ])
}

/** The case of a task changed while the task ran. */
export function changedDuringTask(id: number, name: string): RostrumError {
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

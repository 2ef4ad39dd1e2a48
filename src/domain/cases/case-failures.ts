import { invalidInput, notFound, RostrumError } from '../../errors.ts'

export function noCase(id: number): RostrumError {
  return notFound('case', id)
}

export function staleCase(id: number, version: number): RostrumError {
  return new RostrumError(
    'PRECONDITION_FAILED',
    `Case \`${id}\` has changed since it was read: its version is now \`${version}\`. Read it again.`,
    { reason: 'VERSION', facts: { version } },
  )
}

/** The error for a script that saves or deletes the case that its own transaction is saving. */
export function ownCase(id: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `Case \`${id}\` is being saved by the transaction of this run. Change \`payload\` and give it to \`exit\`.`,
    { reason: 'OWN_CASE' },
  )
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

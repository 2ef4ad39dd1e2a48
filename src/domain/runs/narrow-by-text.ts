import { allRuns, type RunFilter, type RunStore } from './run-store.ts'

interface TextSearch {
  readonly store: Pick<RunStore, 'look'>
  readonly accountCode: string
  readonly filter: RunFilter
  readonly text: string
}

/** True for the form of the ids of runs and transactions. A database may refuse to compare other texts. */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/**
 * Narrows a filter by a text: to the run, the transaction or the case with this id if the account has runs of it, else
 * to the runs whose name begins with the text. Null if the filter asks for another one, so that no run matches.
 */
export async function narrowByText({
  store,
  accountCode,
  filter,
  text,
}: TextSearch): Promise<RunFilter | null> {
  for (const member of membersFor(text)) {
    const { runs } = await store.look(accountCode, { ...allRuns, ...member }, null, 1)
    if (runs.length > 0) return join(filter, member)
  }
  return { ...filter, nameStart: text }
}

function membersFor(text: string): Partial<RunFilter>[] {
  if (isGuid(text)) return [{ runId: text }, { txnId: text }]
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? [{ caseId: number }] : []
}

function join(filter: RunFilter, member: Partial<RunFilter>): RunFilter | null {
  const isOther = Object.entries(member).some(([name, value]) => {
    const asked = filter[name as keyof RunFilter]
    return asked !== null && asked !== value
  })
  return isOther ? null : { ...filter, ...member }
}

import { isGuid } from '../../guid.ts'
import { isHash } from '../functions/functions.ts'
import { readId } from '../id.ts'
import { allRuns, type RunFilter, type RunStore } from './run-store.ts'

interface FilterSearch {
  readonly store: Pick<RunStore, 'look'>
  readonly accountCode: string
  readonly filter: RunFilter
  /** Null does not narrow it. */
  readonly text: string | null
}

interface TextSearch extends FilterSearch {
  readonly text: string
}

/** Adds a text to a filter. Returns null if no run can match. */
export async function narrowFilter({ text, ...search }: FilterSearch): Promise<RunFilter | null> {
  if (!canMatch(search.filter)) return null
  return text === null ? search.filter : narrowByText({ ...search, text })
}

// Narrows to the run, the transaction or the case with the id if the account has runs of it, else to the runs whose
// name begins with the text. Returns null if the filter asks for another id.
async function narrowByText({ store, accountCode, filter, text }: TextSearch): Promise<RunFilter | null> {
  for (const member of membersFor(text)) {
    const { runs } = await store.look(accountCode, { ...allRuns, ...member }, null, 1)
    if (runs.length > 0) return join(filter, member)
  }
  return { ...filter, nameStart: text }
}

function canMatch({ functionVersion, txnId, replayOf }: RunFilter): boolean {
  const isVersion = functionVersion === null || isHash(functionVersion)
  return isVersion && [txnId, replayOf].every(id => id === null || isGuid(id))
}

function membersFor(text: string): Partial<RunFilter>[] {
  if (isGuid(text)) return [{ runId: text }, { txnId: text }]
  const caseId = readId(text)
  return caseId === null ? [] : [{ caseId }]
}

function join(filter: RunFilter, member: Partial<RunFilter>): RunFilter | null {
  const isOther = Object.entries(member).some(([name, value]) => {
    const asked = filter[name as keyof RunFilter]
    return asked !== null && asked !== value
  })
  return isOther ? null : { ...filter, ...member }
}

import { sql } from 'drizzle-orm'
import { isName } from '../../../domain/name.ts'
import type { FunctionChoice } from '../../../domain/triggers/complete-trigger.ts'
import { type Dialect, placeholders } from '../../dialect.ts'
import { first, type Work } from '../../work.ts'

/** Returns the id of the function that a trigger uses, and keeps it from being removed until the commit. */
type LockChosenFunction = (
  accountCode: string,
  chosen: FunctionChoice,
  caseTypeCode: string | null,
) => Work<number | null>

export function createLockChosenFunction({ prepare, forShare, tables }: Dialect): LockChosenFunction {
  const { id, accountCode, name, caseTypeCode } = tables.functions
  const given = placeholders('accountCode', 'functionId', 'name', 'caseTypeCode')
  const select = sql`select ${id} from ${tables.functions} where ${accountCode} = ${given.accountCode}`
  const byId = prepare(sql`${select} and ${id} = ${given.functionId} ${forShare}`, { id })
  // The code of a function without a case type is empty, so it comes last.
  const byName = prepare(
    sql`
      ${select} and ${name} = ${given.name} and ${caseTypeCode} in (${given.caseTypeCode}, '')
      order by ${caseTypeCode} desc limit 1 ${forShare}`,
    { id },
  )
  return function* lockChosenFunction(accountCode, chosen, caseTypeCode) {
    if ('name' in chosen && !isName(chosen.name)) return null
    const found =
      'id' in chosen
        ? yield* first(byId, { accountCode, functionId: chosen.id })
        : yield* first(byName, { accountCode, name: chosen.name, caseTypeCode: caseTypeCode ?? '' })
    return found?.id ?? null
  }
}

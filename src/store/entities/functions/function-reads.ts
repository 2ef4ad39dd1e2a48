import type { FunctionStore } from '../../../domain/functions/function-store.ts'
import type { Database } from '../../database.ts'
import { toFunction, toTypeColumn } from './function-rows.ts'
import type { FunctionStatements } from './function-statements.ts'

type Reads = Pick<FunctionStore, 'findByName' | 'findExact' | 'findRunnable' | 'findLive' | 'listAfter'>

/** Reads functions by their names, in their order, or to run them. */
export function createFunctionReads({ read }: Pick<Database, 'read'>, statements: FunctionStatements): Reads {
  return {
    async findByName(accountCode, { name, caseTypeCode }) {
      const values = { accountCode, name, caseTypeCode: toTypeColumn(caseTypeCode) }
      const [found] = await read(statements.findByName, values)
      return found === undefined ? null : toFunction(found)
    },
    async findExact(accountCode, { name, caseTypeCode }) {
      const values = { accountCode, name, caseTypeCode: toTypeColumn(caseTypeCode) }
      const [found] = await read(statements.findExact, values)
      return found === undefined ? null : toFunction(found)
    },
    async findRunnable(accountCode, { name, caseTypeCode }, hash) {
      const values = { accountCode, name, caseTypeCode: toTypeColumn(caseTypeCode), hash }
      const [found] = await read(statements.findRunnable, values)
      if (found === undefined) return { kind: 'missing', what: 'function' }
      // The version comes from a left join, so it can be missing.
      if ((found.hash as string | null) === null) return { kind: 'missing', what: 'version' }
      return { kind: 'found', runnable: { ...found, caseTypeCode: found.caseTypeCode || null } }
    },
    async findLive(accountCode, id) {
      const [found] = await read(statements.findLive, { accountCode, id })
      return found === undefined ? null : { ...found, caseTypeCode: found.caseTypeCode || null }
    },
    listAfter: async (accountCode, id, limit) =>
      (await read(statements.listAfter, { accountCode, id, limit })).map(toFunction),
  }
}

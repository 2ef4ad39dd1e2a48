import type { ScriptLines } from '../../fairness/script-log-share.ts'
import type { FunctionStore } from '../functions/function-store.ts'
import type { DeadRun } from './queue-store.ts'

interface Dependencies {
  readonly findFunctions: FunctionStore['findByIds']
  /** The lines of an account in the system log, which have a share of it. */
  readonly linesOf: (accountCode: string) => ScriptLines
}

/**
 * Returns a function that writes one `warn` line for each dead run, for operators (contract, section 9). Call it after
 * the commit. The lines have no text of a script: `lastError` of the queued run has it.
 */
export function createDeadRunReport({ findFunctions, linesOf }: Dependencies) {
  /** The names of functions whose trigger has a name, which the queued run has instead. Removed ones are missing. */
  async function findNames(accountCode: string, runs: readonly DeadRun[]): Promise<Map<number, string>> {
    const ids = new Set(runs.flatMap(({ trigger, functionId }) => (trigger === 'hook' ? [] : functionId)))
    const found = ids.size === 0 ? [] : await findFunctions(accountCode, [...ids]).catch(() => [])
    return new Map(found.map(({ id, name }) => [id, name]))
  }

  return async function reportDeadRuns(dead: readonly DeadRun[]): Promise<void> {
    for (const [accountCode, runs] of Map.groupBy(dead, run => run.accountCode)) {
      const names = await findNames(accountCode, runs)
      const lines = linesOf(accountCode)
      for (const run of runs) {
        const facts = toFacts(run, run.trigger === 'hook' ? run.name : names.get(run.functionId))
        lines.write('warn', { facts, message: 'queued run is dead', bytes: JSON.stringify(facts).length })
      }
    }
  }
}

function toFacts({ accountCode, id, trigger, triggerId, functionId, caseId, code }: DeadRun, name?: string) {
  return {
    account: accountCode,
    queuedRun: id,
    [trigger]: triggerId,
    ...(name === undefined ? { functionId } : { function: name }),
    ...(caseId === null ? {} : { case: caseId }),
    code,
  }
}

import { sql } from 'drizzle-orm'
import { tooManyHooks } from '../../../domain/triggers/trigger-failures.ts'
import type { Hook, HookStore, LiveHook } from '../../../domain/triggers/trigger-store.ts'
import type { Database } from '../../database.ts'
import { placeholders } from '../../dialect.ts'
import { all, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { prepareLive } from './live-function.ts'
import { createTriggerStore } from './stored-triggers.ts'
import type { TriggerKind } from './trigger-kind.ts'

export const hookKind: TriggerKind<Hook> = {
  trigger: 'hook',
  within: ['caseTypeCode', 'event'],
  order: ['position', 'id'],
  tooMany: tooManyHooks,
  sameName: null,
  describe: ({ id, caseTypeCode, event }) => `hook \`${id}\` (\`${caseTypeCode}\`, \`${event}\`)`,
}

const given = placeholders('accountCode', 'caseTypeCode', 'event', 'laterEvent')

export function createHookStore(
  database: Database,
  parts: Pick<Parts, 'provision' | 'takeNumbers'>,
): HookStore {
  const { prepare, read, tables } = database
  const { id, caseTypeCode, event, position } = tables.hooks
  const raiseRevision = prepare(sql`
    update case_types set revision = revision + 1
    where account_code = ${given.accountCode} and code = ${given.caseTypeCode}`)
  const findLive = prepareLive(database, {
    table: 'hooks',
    more: { event },
    where: sql`
      ${caseTypeCode} = ${given.caseTypeCode} and ${event} in (${given.event}, ${given.laterEvent})
      order by ${position}, ${id}`,
  })
  const raiseRevisions = function* (accountCode: string, caseTypeCodes: readonly string[]): Work<void> {
    for (const caseTypeCode of caseTypeCodes) yield* all(raiseRevision, { accountCode, caseTypeCode })
  }
  return {
    ...createTriggerStore(database, parts, hookKind, {
      afterSave: raiseRevisions,
      beforeRemove: (accountCode, _id, caseTypeCodes) => raiseRevisions(accountCode, caseTypeCodes),
    }),
    findLive: (accountCode, caseTypeCode, [event, laterEvent]): Promise<LiveHook[]> =>
      read(findLive, { accountCode, caseTypeCode, event, laterEvent }),
  }
}

import type { Caller } from '../../credentials/caller.ts'
import type { GivenOptions, OptionName } from './read-task-input.ts'
import type { Transaction } from './transaction.ts'

export interface ScriptOptions {
  readonly given: GivenOptions
  readonly caller: Caller
  readonly transaction: Transaction
  /** The token minted for this run. */
  readonly token: string
}

/**
 * The `options` of a script as JSON text: what the caller gave, as data and never as authority, with `current_user` filled
 * where it is absent, and `requestContext` and `authorization` set by us whatever was given (contract, section 4). Ours are put
 * behind the caller's text: of two members of one name the last counts, and to read the text takes longer than the run.
 */
export function scriptOptions({ given, caller, transaction, token }: ScriptOptions): string {
  const isAbsent = (name: OptionName) => (given.members.get(name) ?? 'null') === 'null'
  const ours = {
    ...(isAbsent('current_user') && {
      current_user: {
        id: caller.userId,
        email: caller.email,
        display_name: caller.displayName,
        account_code: caller.accountCode,
      },
    }),
    ...(isAbsent('params') && { params: {} }),
    ...(isAbsent('changed_fields') && { changed_fields: null }),
    requestContext: transaction,
    authorization: `Bearer ${token}`,
  }
  const open = given.text.trimEnd().slice(0, -1)
  return `${open}${given.isEmpty ? '' : ','}${JSON.stringify(ours).slice(1)}`
}

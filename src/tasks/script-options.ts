import type { Caller } from '../credentials/caller.ts'
import { RostrumError } from '../errors.ts'
import type { Transaction } from './transaction.ts'

export interface ScriptOptions {
  /** What was parsed for this run: it is written into, as to copy a hundred thousand keys takes longer than to parse them. */
  readonly given: Record<string, unknown>
  readonly caller: Caller
  readonly transaction: Transaction
  /** The token minted for this run. */
  readonly token: string
}

/**
 * The `options` of a script as JSON text: what the caller gave, as data and never as authority, with `current_user` filled
 * where it is absent, and `requestContext` and `authorization` set by us whatever was given (contract, section 4).
 */
export function scriptOptions({ given, caller, transaction, token }: ScriptOptions): string {
  const options = Object.assign(given, {
    current_user: given.current_user ?? {
      id: caller.userId,
      email: caller.email,
      display_name: caller.displayName,
      account_code: caller.accountCode,
    },
    params: given.params ?? {},
    changed_fields: given.changed_fields ?? null,
    requestContext: transaction,
    authorization: `Bearer ${token}`,
  })
  try {
    return JSON.stringify(options)
  } catch (cause) {
    const detail = 'is nested too deeply'
    throw new RostrumError('BAD_USER_INPUT', `\`options\` ${detail}.`, {
      fields: [{ pointer: '/options', detail }],
      cause,
    })
  }
}

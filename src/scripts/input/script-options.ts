import type { Caller } from '../../credentials/caller.ts'
import type { Transaction } from '../../domain/scripts/run.ts'
import { JsonScanner } from '../../json/scanner.ts'
import { spells } from '../../json/spells.ts'
import { escapeSurrogates } from '../../json/surrogates.ts'
import type { GivenOptions, OptionName } from './read-script.ts'

export interface ScriptOptions {
  readonly given: GivenOptions
  readonly caller: Caller
  readonly transaction: Transaction
}

/**
 * Returns the `options` of a script as JSON text (contract, section 4), without the token of the run: the caller's
 * options, which are data and never grant rights. `current_user` is added if absent. `requestContext` is always
 * replaced, by appending a member to the text, because the last of two members wins. Parsing would take longer than the
 * run.
 */
export function scriptOptions({ given, caller, transaction }: ScriptOptions): string {
  const isAbsent = (name: OptionName) => (given.members.get(name) ?? 'null') === 'null'
  const added = {
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
  }
  const open = given.text.trimEnd().slice(0, -1)
  return `${open}${given.isEmpty ? '' : ','}${JSON.stringify(added).slice(1)}`
}

/** Replaces `authorization` in the options of a script by the token of its run, in the same way. */
export function addToken(options: string, token: string): string {
  return `${options.slice(0, -1)},"authorization":${JSON.stringify(`Bearer ${token}`)}}`
}

// Maximum length of stored options. Longer options are not stored.
const maxKeptCharacters = 256 * 2 ** 10

/**
 * Returns the options of a script as they are stored: without a credential that the caller sent. It cuts the member out
 * of the text, because `JSON.stringify` throws for some values that are nested thousands of levels deep.
 */
export function keptOptions(text: string): string {
  if (text.length > maxKeptCharacters || !/authorization|\\u/.test(text)) return text
  const bytes = Buffer.from(escapeSurrogates(text))
  const kept: string[] = []
  const scanner = new JsonScanner(
    { maxDepth: Number.POSITIVE_INFINITY },
    {
      onMember({ keyStart: start, keyEnd: end, valueEnd }) {
        if (!spells(bytes, { start, end }, 'authorization'))
          kept.push(bytes.toString('utf8', start - 1, valueEnd))
      },
    },
  )
  scanner.write(bytes)
  return `{${kept.join()}}`
}

import { wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { checkToken } from './check-token.ts'
import { readKeptTokens } from './kept-tokens.ts'

/** A gateway to ask, and the token to ask it with. */
export interface ChosenGateway {
  /** Without a slash at the end. */
  readonly url: string
  readonly token: string | null
}

const defaultUrl = 'http://127.0.0.1:4000'

/** The option that names a gateway, for commands that ask one. */
export const urlOption = { url: { type: 'string' } } as const

export const urlHelp =
  '  --url <url>  the gateway to ask instead of ROSTRUM_URL or the one of `rostrum login`'

/** Finds the gateway of a call and its token (contract, section 11). */
export function chooseGateway({
  text,
  environment,
}: Pick<CommandCall, 'text' | 'environment'>): ChosenGateway {
  const kept = readKeptTokens(environment)
  const url = readUrl(text('url') ?? (environment.ROSTRUM_URL || (kept.current ?? defaultUrl)))
  // A kept token belongs to exactly one gateway.
  const given = environment.ROSTRUM_TOKEN?.trim()
  return { url, token: given ? checkToken(given, 'ROSTRUM_TOKEN') : (kept.tokens[url] ?? null) }
}

/** Returns the URL of a gateway in its one spelling. */
export function readUrl(given: string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw wrongUse(`\`${given}\` is no URL of a gateway. Name one such as ${defaultUrl}.`)
  if (url.username !== '' || url.password !== '')
    throw wrongUse('The URL of a gateway has no user or password. Put the token into ROSTRUM_TOKEN.')
  return url.href.replace(/\/+$/, '')
}

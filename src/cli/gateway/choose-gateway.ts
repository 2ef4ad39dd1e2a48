import { wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { checkToken } from './check-token.ts'
import { readKeptTokens } from './kept-tokens.ts'

/** A gateway to ask, and the token to ask it with. */
export interface ChosenGateway {
  /** Without a slash at the end. */
  readonly url: string
  readonly token: string | null
  /** True if the token is that of ROSTRUM_TOKEN. */
  readonly isTokenGiven?: boolean
}

const defaultUrl = 'http://127.0.0.1:4000'

/** The option that names a gateway, for commands that ask one. */
export const urlOption = { url: { type: 'string' } } as const

/** Returns the line of help of the option. `width` is that of the names of all options of the command. */
export const describeUrl = (width: number): string =>
  `  ${'--url <url>'.padEnd(width)}  the gateway to ask instead of ROSTRUM_URL or the one of \`rostrum login\``

/** Finds the gateway of a call and its token (contract, section 11). */
export function chooseGateway(call: CallParts): ChosenGateway {
  const url = chooseUrl(call)
  const given = call.environment.ROSTRUM_TOKEN?.trim()
  if (given) return { url, token: checkToken(given, 'ROSTRUM_TOKEN'), isTokenGiven: true }
  // A kept token belongs to exactly one gateway.
  return { url, token: readKeptTokens(call.environment).tokens[url] ?? null }
}

type CallParts = Pick<CommandCall, 'text' | 'environment'>

/** Finds the URL of the gateway of a call. */
export function chooseUrl({ text, environment }: CallParts): string {
  const given = text('url') ?? (environment.ROSTRUM_URL || null)
  // Reads the kept file only if no gateway is named: on a build server, the home folder may be unreadable.
  return readUrl(given ?? readKeptTokens(environment).current ?? defaultUrl)
}

/** Returns the URL of a gateway in its one spelling. */
function readUrl(given: string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(url.href))
    throw wrongUse(`\`${given}\` is no URL of a gateway. Name one such as ${defaultUrl}.`)
  if (url.username !== '' || url.password !== '')
    throw wrongUse('The URL of a gateway has no user or password. Put the token into ROSTRUM_TOKEN.')
  return url.href.replace(/\/+$/, '')
}

import { exitCodes } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'
import { chooseUrl, urlOption } from '../gateway/choose-gateway.ts'
import { createGatewayClient, type GatewayClient } from '../gateway/gateway-client.ts'
import { findTokenFile, readKeptTokens, writeKeptTokens } from '../gateway/kept-tokens.ts'
import { requireLike } from '../gateway/require-like.ts'
import { readToken } from './read-token.ts'

const query = '{ viewer { accountCode userId email scopes } }'

interface Viewer {
  readonly accountCode: string
  readonly userId: string | null
  readonly email: string | null
  readonly scopes: readonly string[]
}

export const command: Command = {
  usage: '[--url <url>]',
  help: `Asks for a token, or reads it from stdin in a pipe, checks it, and keeps it for this gateway in
\`rostrum/credentials.json\` below XDG_CONFIG_HOME or ~/.config, where other users cannot read it.

  --url <url>  the gateway; without, ROSTRUM_URL, the one of the last login, or http://127.0.0.1:4000
`,
  options: urlOption,
  args: [0, 0],
  async run(call) {
    const { terminal, environment } = call
    const url = chooseUrl(call)
    const token = await readToken(`Token for ${url}: `)
    const viewer = await findViewer(createGatewayClient({ url, token }, call.signal))
    const kept = readKeptTokens(environment)
    writeKeptTokens(environment, { current: url, tokens: { ...kept.tokens, [url]: token } })
    const { accountCode, email, userId, scopes } = viewer
    const user = email ?? (userId === null ? 'no user' : `user ${userId}`)
    terminal.write(
      `Signed in to ${url}: account ${accountCode}, ${user}, scopes ${scopes.join(' ') || 'none'}.\n`,
    )
    terminal.say(`The token is kept in ${findTokenFile(environment)}.`)
    return exitCodes.done
  },
}

/** Finds to whom the token of a client belongs. */
export async function findViewer({ url, ask }: GatewayClient): Promise<Viewer> {
  const { viewer } = await ask<{ readonly viewer: Viewer | null }>(query)
  return requireLike(url, viewer, { accountCode: '', scopes: [''] })
}

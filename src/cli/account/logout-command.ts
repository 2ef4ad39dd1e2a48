import { exitCodes } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'
import { chooseUrl, urlOption } from '../gateway/choose-gateway.ts'
import { readKeptTokens, writeKeptTokens } from '../gateway/kept-tokens.ts'

export const command: Command = {
  usage: '[--url <url>]',
  help: `Forgets the token that \`rostrum login\` kept for a gateway. The token itself stays valid;
\`npm run token\` revokes it.

  --url <url>  the gateway (default: ROSTRUM_URL, or that of the last login)
`,
  options: urlOption,
  args: [0, 0],
  async run(call) {
    const url = chooseUrl(call)
    const { current, tokens } = readKeptTokens(call.environment)
    if (!Object.hasOwn(tokens, url)) {
      call.terminal.say(`No token is kept for ${url}.`)
      return exitCodes.done
    }
    const { [url]: _, ...others } = tokens
    writeKeptTokens(call.environment, { current: current === url ? null : current, tokens: others })
    call.terminal.write(`Forgot the token for ${url}.\n`)
    return exitCodes.done
  },
}

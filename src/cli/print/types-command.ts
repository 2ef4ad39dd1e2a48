import { readFileSync } from 'node:fs'
import { exitCodes } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'

export const command: Command = {
  usage: '> rostrum.d.ts',
  help: `Prints the types of the script API. An editor that finds the file beside a script completes and checks it.
`,
  options: {},
  args: [0, 0],
  async run({ terminal }) {
    terminal.write(readFileSync(new URL('../../sandbox/rostrum.d.ts', import.meta.url), 'utf8'))
    return exitCodes.done
  },
}

import { importQuickly } from '../../import-quickly.ts'
import { exitCodes } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'

export const command: Command = {
  usage: '> schema.graphql',
  help: `Prints the GraphQL schema, for code generators and editors. It needs no gateway.
`,
  options: {},
  args: [0, 0],
  async run({ terminal }) {
    const { printSortedSchema } = await importQuickly(() => import('../../schema/index.ts'))
    terminal.write(printSortedSchema())
    return exitCodes.done
  },
}

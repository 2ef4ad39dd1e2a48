import { readFileSync } from 'node:fs'
import { importQuickly } from '../../import-quickly.ts'
import { exitCodes } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'

/** A command that prints a text of this version. It needs no gateway, token or network. */
function printCommand(file: string, help: string, read: () => string | Promise<string>): Command {
  return {
    usage: `> ${file}`,
    help: `${help}\n`,
    options: {},
    args: [0, 0],
    async run({ terminal }) {
      terminal.write(await read())
      return exitCodes.done
    },
  }
}

export const types = printCommand(
  'rostrum.d.ts',
  'Prints the types of the script API. An editor that finds the file beside a script completes and checks it.',
  () => readFileSync(new URL('../../sandbox/rostrum.d.ts', import.meta.url), 'utf8'),
)

export const openapi = printCommand(
  'openapi.json',
  'Prints the OpenAPI document of the REST side, for generators of clients.',
  async () => {
    const { printDocument } = await import('../../openapi/print-document.ts')
    return `${printDocument()}\n`
  },
)

export const schema = printCommand(
  'schema.graphql',
  'Prints the GraphQL schema, for code generators and editors.',
  async () => {
    const { printSortedSchema } = await importQuickly(() => import('../../schema/index.ts'))
    return printSortedSchema()
  },
)

import { exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { type ChosenGateway, chooseGateway, urlOption } from '../gateway/choose-gateway.ts'
import { executeScript, nameOfFile, type ScriptToRun } from '../gateway/execute-script.ts'
import { createGatewayClient, type GatewayClient } from '../gateway/gateway-client.ts'
import { exitCodeOf, formatJson, formatLog, printOutcome } from './print-outcome.ts'
import { readJsonFile, readNamedFile } from './read-documents.ts'
import { type ScratchGateway, startScratchGateway } from './scratch-gateway.ts'
import { watchFiles } from './watch-files.ts'

export const command: Command = {
  usage:
    '<file.js> [--input <file.json>] [--options <file.json>] [--name <name>] [--case-type <code>] ' +
    '[--url <url> | --remote] [--watch] [--json]',
  help: `Runs a script in the gateway's own sandbox, on an empty store that is gone afterwards. Nothing is deployed. The
result is on stdout, log entries are on stderr. Exits with 0 for \`exit\`, 1 for \`fail\`, 2 for an error.

  --input <file>      the input document, \`payload\` to the script; {} without one
  --options <file>    the options document; {} without one
  --name <name>       the name of the run; the file's without one
  --case-type <code>  the case type that the run names
  --url <url>         runs it on this gateway instead, on the data of the token's account
  --remote            runs it on the gateway of ROSTRUM_URL or \`rostrum login\` instead
  --watch             runs it again whenever one of the files is saved, until Ctrl-C
  --json              prints the whole answer as JSON, whatever the outcome

\`-\` in place of a file is stdin.
`,
  options: {
    input: { type: 'string' },
    options: { type: 'string' },
    name: { type: 'string' },
    'case-type': { type: 'string' },
    ...urlOption,
    remote: { type: 'boolean' },
    watch: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  args: [1, 1],
  async run(call) {
    const files = findFiles(call)
    // Reads the files first, so that a bad one is reported before a gateway starts. Stdin can be read only once.
    let script: ScriptToRun | null = await readScript(call)
    let gateway: ChosenGateway | ScratchGateway = await findGateway(call)
    const run = async () => {
      const next = script ?? (await readScript(call))
      script = null
      return runOnce(call, createGatewayClient(gateway, call.signal), next)
    }
    if (!call.isSet('watch')) return run()
    await watchFiles(
      () => ({ files: files.map(call.resolve) }),
      call,
      async () => {
        await run()
        if (!('close' in gateway)) return
        // The next run has an empty store too.
        await gateway.close()
        gateway = await startScratchGateway(call)
      },
    )
    return exitCodes.done
  },
}

function findFiles({ args, text, isSet }: CommandCall): readonly string[] {
  const files = [args[0], text('input'), text('options')].filter(file => file !== undefined)
  const fromStdin = files.filter(file => file === '-')
  if (fromStdin.length > 1) throw wrongUse('Only one file can be `-`, because stdin is read once.')
  if (isSet('watch') && fromStdin.length > 0)
    throw wrongUse('`--watch` needs files: stdin cannot be watched.')
  if (isSet('remote') && text('url') !== undefined) throw wrongUse('Give `--url` or `--remote`, not both.')
  return files
}

function findGateway(call: CommandCall): ChosenGateway | Promise<ScratchGateway> {
  const isRemote = call.isSet('remote') || call.text('url') !== undefined
  return isRemote ? chooseGateway(call) : startScratchGateway(call)
}

async function readScript(call: CommandCall): Promise<ScriptToRun> {
  const [file = ''] = call.args
  return {
    name: call.text('name') ?? nameOfFile(file),
    sourceCode: await readNamedFile(file, call),
    input: await readJsonFile('input', call),
    options: await readJsonFile('options', call),
    caseTypeCode: call.text('case-type') ?? null,
  }
}

async function runOnce(
  { args: [file = ''], isSet, terminal }: CommandCall,
  client: GatewayClient,
  script: ScriptToRun,
): Promise<number> {
  const isJson = isSet('json')
  const execution = await executeScript(client, script, entry => {
    if (!isJson) terminal.say(formatLog(entry, terminal, 'stderr'))
  })
  if (!isJson) return printOutcome(file, execution, terminal)
  terminal.write(formatJson(execution, terminal))
  return exitCodeOf(execution)
}

import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { createGatewayClient, type GatewayClient } from '../gateway/gateway-client.ts'
import { startScratchGateway } from '../run/scratch-gateway.ts'
import { type FunctionFile, pathOfKey } from './function-files.ts'
import { pathOfFunction } from './live-functions.ts'

export type CompileFiles = (files: readonly FunctionFile[]) => Promise<void>

/** Returns a function that compiles files in a sandbox of this machine, as the gateway does before it saves them. */
export function createCompiler(call: Pick<CommandCall, 'environment' | 'atEnd' | 'signal'>): CompileFiles {
  let started: Promise<GatewayClient> | null = null
  const start = async () => createGatewayClient(await startScratchGateway(call), call.signal)
  return async files => {
    if (files.length === 0) return
    started ??= start()
    const client = await started
    for (const file of files) await compile(client, file)
  }
}

interface Refusal {
  readonly code: string
  readonly detail: string
  readonly line?: number
  readonly column?: number
}

async function compile({ send }: GatewayClient, { key, source }: FunctionFile): Promise<void> {
  const path = pathOfKey(key)
  if (source === '') throw wrongUse(`${path}: The file is empty. Nothing was pushed.`)
  const answer = await send(pathOfFunction(key), {
    method: 'PUT',
    headers: { 'content-type': 'text/javascript' },
    body: source,
    accepts: [400, 413, 422],
  })
  if (answer.ok) return void (await answer.arrayBuffer())
  const { code, detail, line, column } = (await answer.json()) as Refusal
  if (line === undefined) throw wrongUse(`${path}: ${detail} Nothing was pushed.`)
  const message = detail
    .replace(/^The source does not compile: /, '')
    .replace(/ \(line \d+, column \d+\)/, '')
  throw new CliError(exitCodes.error, `${path}:${line}:${column ?? 1} ${code} ${message} Nothing was pushed.`)
}

import { pino } from 'pino'
import { describeBadSource } from '../../domain/functions/functions.ts'
import { RostrumError } from '../../errors.ts'
import { importQuickly } from '../../import-quickly.ts'
import type { Compiler } from '../../scripts/create-compiler.ts'
import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { readSettings } from '../frame/read-settings.ts'
import { maxBootMs, pickLimits } from '../run/scratch-gateway.ts'
import { type FunctionFile, pathOfKey } from './function-files.ts'

export type CompileFiles = (files: readonly FunctionFile[]) => Promise<void>
type CompilingCall = Pick<CommandCall, 'environment' | 'atEnd' | 'signal'>
type CompileSource = (source: string) => ReturnType<Compiler['compile']>

/** Returns a function that compiles files in a sandbox of this machine, as the gateway does before it saves them. */
export function createFileCompiler(call: CompilingCall): CompileFiles {
  let started: Promise<CompileSource> | null = null
  return async files => {
    if (files.length === 0) return
    // Finding these faults needs no sandbox, which takes a second to start on a slow machine.
    for (const file of files) refuseBadSource(file)
    started ??= startCompiler(call)
    const compileSource = await started
    for (const file of files) await compile(compileSource, file)
  }
}

async function startCompiler({ environment, atEnd, signal }: CompilingCall): Promise<CompileSource> {
  const { createCompiler } = await importQuickly(() => import('../../scripts/create-compiler.ts'))
  const config = readSettings({
    ...pickLimits(environment),
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_WARM_SANDBOXES: '1',
    ROSTRUM_QUEUE_WAIT_MS: maxBootMs,
    // The time of a run includes its wait for a sandbox.
    ROSTRUM_TASK_TIMEOUT_MS: maxBootMs,
  })
  const compiler = createCompiler({ config, log: pino({ level: 'silent' }) })
  atEnd(() => compiler.close())
  return source => compiler.compile(source, signal)
}

function refuseBadSource({ key, source }: FunctionFile): void {
  const path = pathOfKey(key)
  if (source === '') throw wrongUse(`${path}: The file is empty. Nothing was pushed.`)
  const problem = describeBadSource(source)
  if (problem !== null) throw wrongUse(`${path}: The source ${problem}. Nothing was pushed.`)
}

async function compile(compileSource: CompileSource, { key, source }: FunctionFile): Promise<void> {
  const path = pathOfKey(key)
  const error = await compileSource(source).catch((error: unknown) => {
    throw error instanceof RostrumError ? explain(path, error) : error
  })
  if (error === null) return
  const { code, message, line, column } = error
  const place = line === null ? `${path}:` : `${path}:${line}:${column ?? 1}`
  throw new CliError(exitCodes.error, `${place} ${code} ${message}. Nothing was pushed.`)
}

function explain(path: string, { code, message }: RostrumError): CliError {
  const exitCode = code === 'PAYLOAD_TOO_LARGE' ? exitCodes.usage : exitCodes.unavailable
  const said = message.replace('`sourceCode`', 'The source')
  return new CliError(exitCode, `${path}: ${said} Nothing was pushed.`)
}

import { describeBadSource } from '../../domain/functions/functions.ts'
import { RostrumError } from '../../errors.ts'
import { importQuickly } from '../../import-quickly.ts'
import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { type FunctionFile, pathOfKey } from './function-files.ts'
import type { CompileOne } from './sandbox-compiler.ts'

export type CompileFiles = (files: readonly FunctionFile[]) => Promise<void>

/** Returns a function that compiles files in a sandbox of this machine, as the gateway does before it saves them. */
export function createCompiler(call: Pick<CommandCall, 'environment' | 'atEnd' | 'signal'>): CompileFiles {
  let started: Promise<CompileOne> | null = null
  const start = async () => {
    const { startSandboxCompiler } = await importQuickly(() => import('./sandbox-compiler.ts'))
    return startSandboxCompiler(call)
  }
  return async files => {
    if (files.length === 0) return
    started ??= start()
    const compileOne = await started
    for (const file of files) await compile(compileOne, file)
  }
}

async function compile(compileOne: CompileOne, { key, source }: FunctionFile): Promise<void> {
  const path = pathOfKey(key)
  if (source === '') throw wrongUse(`${path}: The file is empty. Nothing was pushed.`)
  const problem = describeBadSource(source)
  if (problem !== null) throw wrongUse(`${path}: The source ${problem}. Nothing was pushed.`)
  const error = await compileOne(source).catch((error: unknown) => {
    throw error instanceof RostrumError ? explain(path, error) : error
  })
  if (error === null) return
  const { code, message, line, column } = error
  throw new CliError(
    exitCodes.error,
    `${path}:${line ?? 1}:${column ?? 1} ${code} ${message}. Nothing was pushed.`,
  )
}

function explain(path: string, { code, message }: RostrumError): CliError {
  const exitCode = code === 'PAYLOAD_TOO_LARGE' ? exitCodes.usage : exitCodes.unavailable
  const said = message.replace('`sourceCode`', 'The source')
  return new CliError(exitCode, `${path}: ${said} Nothing was pushed.`)
}

import { readFileSync } from 'node:fs'
import { fileError } from '../files/file-error.ts'
import { wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'

/** Reads a file that was named on the command line; `-` is stdin. Throws an error that says what is wrong with it. */
export function readNamedFile(path: string, { resolve }: Pick<CommandCall, 'resolve'>, shown = path): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path === '-' ? 0 : resolve(path))
  } catch (error) {
    throw fileError('read', shown, error)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw wrongUse(`\`${shown}\` is not UTF-8 text. Save it as UTF-8.`)
  }
}

/** Reads a JSON file. Returns its text, because numbers must stay as they are written. */
export function readJsonFile(path: string | undefined, call: Pick<CommandCall, 'resolve'>): string {
  if (path === undefined) return '{}'
  const text = readNamedFile(path, call)
  try {
    JSON.parse(text)
    return text
  } catch (error) {
    throw wrongUse(`\`${path}\` is not JSON: ${(error as Error).message}.`)
  }
}

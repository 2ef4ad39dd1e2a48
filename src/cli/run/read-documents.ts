import { readFile, readStdin } from '../files/read-file.ts'
import { wrongUse } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'

/** Reads a file that was named on the command line; `-` is stdin. Throws an error that says what is wrong with it. */
export async function readNamedFile(
  path: string,
  { resolve }: Pick<CommandCall, 'resolve'>,
): Promise<string> {
  return path === '-' ? decode(await readStdin(path), path) : readTextFile(resolve(path), path)
}

/** Reads a file of UTF-8 text. Throws an error that names it as `shown`. */
export function readTextFile(file: string, shown: string): string {
  return decode(readFile(file, shown), shown)
}

function decode(bytes: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw wrongUse(`\`${shown}\` is not UTF-8 text. Save it as UTF-8.`)
  }
}

/** Reads the JSON file of an option. Returns its text, because numbers must stay as they are written. */
export async function readJsonFile(
  option: 'input' | 'options',
  call: Pick<CommandCall, 'resolve' | 'text'>,
): Promise<string> {
  const path = call.text(option)
  if (path === undefined) return '{}'
  if (/^\s*[{[]/.test(path) && faultOf(path) === null) {
    throw wrongUse(
      `\`--${option}\` takes the name of a file, not JSON itself. Send the JSON on stdin, with \`-\`.`,
    )
  }
  const text = await readNamedFile(path, call)
  const fault = faultOf(text)
  if (fault !== null) throw wrongUse(`\`${path}\` is not JSON: ${fault}.`)
  return text
}

// Returns why a text is not JSON; null if it is.
function faultOf(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

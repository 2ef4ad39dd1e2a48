import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { largestBodyBytes } from '../../config.ts'
import { CliError, wrongUse } from '../frame/cli-error.ts'
import { fileError } from './file-error.ts'

const chunkBytes = 2 ** 20
const stdin = 0

/**
 * Reads a file. Throws an error that names it as `shown` if it cannot be read. One with more bytes than any gateway
 * takes is refused before its end, because a pipe or a device may have none.
 */
export function readFile(file: string, shown: string): Buffer {
  let opened: number | null = null
  try {
    opened = openSync(file, 'r')
    return readToEnd(opened, shown)
  } catch (error) {
    throw error instanceof CliError ? error : fileError('read', shown, error)
  } finally {
    if (opened !== null) closeSync(opened)
  }
}

/** Reads stdin like a file. Other work goes on meanwhile, such as a signal. */
export async function readStdin(shown: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // Node takes a folder for an empty stdin. Reading the folder throws the error that says what it is.
    if (fstatSync(stdin).isDirectory()) return readToEnd(stdin, shown)
    for await (const chunk of process.stdin) {
      chunks.push(chunk)
      size += chunk.length
      if (size > largestBodyBytes) throw tooLarge(shown)
    }
  } catch (error) {
    throw error instanceof CliError ? error : fileError('read', shown, error)
  }
  return Buffer.concat(chunks)
}

function readToEnd(opened: number, shown: string): Buffer {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  const copies: Buffer[] = []
  for (let size = 0; size <= largestBodyBytes; ) {
    const count = readSync(opened, chunk)
    if (count === 0) return Buffer.concat(copies, size)
    copies.push(Buffer.from(chunk.subarray(0, count)))
    size += count
  }
  throw tooLarge(shown)
}

function tooLarge(shown: string): CliError {
  return wrongUse(`\`${shown}\` has more than ${largestBodyBytes} bytes, and no gateway takes as many.`)
}

import { closeSync, openSync, readSync } from 'node:fs'
import { largestBodyBytes } from '../../config.ts'
import { CliError, wrongUse } from '../frame/cli-error.ts'
import { fileError } from './file-error.ts'

const chunkBytes = 2 ** 20

/**
 * Reads a file, or an open file by its number. Throws an error that names it as `shown` if it cannot be read. One with
 * more bytes than any gateway takes is refused before its end, because a pipe or a device may have none.
 */
export function readFile(file: string | number, shown: string): Buffer {
  let opened: number | null = null
  try {
    opened = typeof file === 'number' ? file : openSync(file, 'r')
    return readToEnd(opened, shown)
  } catch (error) {
    throw error instanceof CliError ? error : fileError('read', shown, error)
  } finally {
    if (opened !== null && opened !== file) closeSync(opened)
  }
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
  throw wrongUse(`\`${shown}\` has more than ${largestBodyBytes} bytes, and no gateway takes as many.`)
}

import { constants, copyFileSync, existsSync, linkSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backupStore } from '../../store/copy/backup-sqlite.ts'
import { fileError } from '../files/file-error.ts'
import { exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'
import { asWrongUse, readSettings } from '../frame/read-settings.ts'

export const command: Command = {
  usage: '<file>',
  help: `Copies the SQLite store of DATABASE_URL, as of one moment, while a gateway serves it. A gateway starts
on the copy. The key of the webhooks' secrets is not in it; keep that file too.

To restore, stop the gateway, remove the store's \`-wal\` file, which belongs to the old store, and put the
copy in its place: see docs/operate.md.
`,
  options: {},
  args: [1, 1],
  async run({ args: [file = ''], resolve, environment, terminal, signal, atEnd }) {
    const url = readSettings(environment).databaseUrl
    if (!url.startsWith('sqlite:'))
      throw wrongUse(
        'The store is PostgreSQL, which `pg_dump` copies: `pg_dump --format=custom --file=<file> "$DATABASE_URL"`.',
      )
    const to = resolve(file)
    if (existsSync(to)) throw wrongUse(`\`${file}\` exists. Name a file that does not.`)
    if (!existsSync(dirname(to))) throw wrongUse(`The folder of \`${file}\` does not exist.`)
    const part = `${to}.${process.pid}.part`
    atEnd(() => removePart(part))
    const { bytes, keyFile } = await backupStore(url.slice('sqlite:'.length), part).catch(asWrongUse)
    // SQLite copies in one call, so a Ctrl-C is heard after it.
    signal.throwIfAborted()
    try {
      // Fails if another backup wrote the file meanwhile.
      placeFile(part, to)
    } catch (error) {
      throw fileError('write', file, error)
    }
    terminal.write(`${file}\n`)
    terminal.say(
      `Copied ${bytes} bytes. The key of the webhooks' secrets is not in it: keep ${keyFile} too, if it is there.`,
    )
    return exitCodes.done
  },
}

// Removes the journal too, which SQLite leaves if the disk fails. The folder may not let this user in, or the name may
// be too long. Then there are no such files, and the backup has said why.
function removePart(path: string): void {
  try {
    for (const file of [path, `${path}-journal`]) rmSync(file, { force: true })
  } catch {}
}

// The error codes of file systems without hard links, such as those of USB sticks and network folders.
const noLinkCodes = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'ENOSYS']

/**
 * Puts a finished file at a path that must not exist, by a hard link, or by a copy where there are no links. Throws
 * `EEXIST` if another process wrote the file meanwhile.
 */
export function placeFile(from: string, to: string, link: typeof linkSync = linkSync): void {
  try {
    link(from, to)
  } catch (error) {
    if (!noLinkCodes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  }
}

import { createHash } from 'node:crypto'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { StartError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { isOpenToAll } from '../../server/processes/is-open-to-all.ts'
import { kill, openInChild } from '../databases/open-in-child.ts'
import { by } from '../databases/origin.ts'

const isRoot = process.getuid?.() === 0
// The user "nobody", for whom permissions count even where the tests run as root.
const nobody = 65_534

let sample: string
let folder: string
let path: string

beforeAll(async () => {
  sample = await mkdtemp(join(tmpdir(), 'rostrum-sample-'))
  const store = await openStore({ url: `sqlite:${join(sample, 'store.db')}` })
  for (let id = 1; id <= 300; id += 1) await store.memberships.add(by('a'), { userId: id, teamId: id })
  await store.close()
})
afterAll(() => rm(sample, { recursive: true, force: true }))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rostrum-files-'))
  path = join(folder, 'store.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function openingFails(at = path): Promise<string> {
  const failure = await openStore({ url: `sqlite:${at}`, serve: true }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartError)
  const { message } = failure as StartError
  expect(message).not.toContain('\n')
  return message
}

/** Every file of the folder with a digest of all its bytes. */
async function readFolder(): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of await readdir(folder)) {
    contents[name] = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex')
  }
  return contents
}

async function overwrite(offset: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, offset)
  await file.close()
}

test.each<[string, RegExp, () => Promise<unknown>]>([
  ['a text file', /is not a SQLite database/, () => writeFile(path, 'Dear diary,\n'.repeat(1_000))],
  ['a short text file', /is not a SQLite database/, () => writeFile(path, 'x')],
  ['a file whose header is gone', /is not a SQLite database/, () => overwrite(0, Buffer.alloc(100))],
  ['a file cut in half', /is damaged/, () => truncate(path, 40_960)],
  ['a file cut inside a page', /is damaged/, () => truncate(path, 50_000)],
  ['a file with pages overwritten', /is damaged/, () => overwrite(8_192, Buffer.alloc(60_000, 0xa5))],
  ['a file whose first page is overwritten', /is damaged/, () => overwrite(100, Buffer.alloc(3_000, 0xa5))],
])('%s is refused, and every byte of it stays', async (_, reason, damage) => {
  await cp(join(sample, 'store.db'), path)
  await damage()
  const before = await readFolder()
  expect(await openingFails()).toMatch(reason)
  expect(await readFolder()).toEqual(before)
})

test.each([
  ['a table', 'create table diary (line text); insert into diary values (1)'],
  ['only a view', 'create view diary as select 1 as line'],
])('the database of another program with %s is refused, and every byte of it stays', async (_, sql) => {
  const client = new SqliteDatabase(path)
  client.exec(sql)
  client.close()
  const before = await readFolder()
  expect(await openingFails()).toMatch(/holds the tables of another program/)
  expect(await readFolder()).toEqual(before)
})

test('a folder is refused', async () => {
  expect(await openingFails(folder)).toMatch(/is a folder/)
})

test('a path through a file is refused', async () => {
  await writeFile(path, '')
  expect(await openingFails(join(path, 'deeper', 'store.db'))).toMatch(/a part of the path is not a folder/)
})

test('a path where no file can be made is refused', async () => {
  expect(await openingFails('/proc/rostrum.db')).toMatch(/cannot be (made|opened|locked)/)
})

test.each(['STORE ', 'STORE\n', ' STORE', ' ', ' :memory:'])(
  'the path `%s` is refused, because SQLite would open another one',
  async named => {
    const at = named.replace('STORE', path)
    expect(await openingFails(at)).toMatch(
      /^The path `".*"` of the database begins or ends with white space\./,
    )
    expect(await readdir(folder)).toEqual([])
  },
)

test('the home folder as shells write it is refused, because no shell replaces it here', async () => {
  expect(await openingFails('~/rostrum/store.db')).toMatch(
    /^The path `~\/rostrum\/store\.db` .* Write the whole path/,
  )
})

test('missing folders are made', async () => {
  const store = await openStore({ url: `sqlite:${join(folder, 'one', 'two', 'store.db')}` })
  await store.ping()
  await store.close()
})

test('an empty file becomes a store', async () => {
  await writeFile(path, '')
  const store = await openStore({ url: `sqlite:${path}`, serve: true })
  expect(await store.accounts.isEmpty()).toBe(true)
  await store.close()
})

test('a store of a killed gateway opens with all its rows', async () => {
  const { child } = await openInChild({ url: `sqlite:${path}`, serve: true })
  const writer = await openStore({ url: `sqlite:${path}` })
  await writer.accounts.ensure('a')
  await kill(child)
  const store = await openStore({ url: `sqlite:${path}`, serve: true })
  expect(await store.accounts.isEmpty()).toBe(false)
  await store.close()
  await writer.close()
})

test.each<[string, () => Promise<unknown>]>([
  ['missing', () => rm(path)],
  ['empty', () => truncate(path, 0)],
])('a store whose file is %s while its log has changes is refused, and the log stays', async (_, lose) => {
  const live = await mkdtemp(join(tmpdir(), 'rostrum-live-'))
  const writer = await openStore({ url: `sqlite:${join(live, 'store.db')}` })
  await writer.accounts.ensure('b')
  await cp(live, folder, { recursive: true })
  await writer.close()
  await rm(live, { recursive: true })
  await lose()
  const before = await readFolder()
  expect(await openingFails()).toBe(
    `There is no store in the file \`${path}\`, but its log \`${path}-wal\` has changes. ` +
      'Put the file back beside it, or remove the log to begin with an empty store.',
  )
  expect(await readFolder()).toEqual(before)
  await rm(`${path}-wal`)
  const store = await openStore({ url: `sqlite:${path}`, serve: true })
  expect(await store.accounts.isEmpty()).toBe(true)
  await store.close()
})

test('a link to a missing file whose log has changes is refused, and the log stays', async () => {
  const log = join(folder, 'moved.db-wal')
  await writeFile(log, 'changes')
  await symlink('moved.db', path)
  expect(await openingFails()).toContain(`its log \`${log}\` has changes`)
  expect(await readFile(log, 'utf8')).toBe('changes')
})

test('a damaged store with a log is refused, and every byte of both stays', async () => {
  const live = await mkdtemp(join(tmpdir(), 'rostrum-live-'))
  await cp(sample, live, { recursive: true })
  const writer = await openStore({ url: `sqlite:${join(live, 'store.db')}` })
  await writer.accounts.ensure('b')
  await cp(live, folder, { recursive: true })
  await writer.close()
  await rm(live, { recursive: true })
  await overwrite(8_192, Buffer.alloc(60_000, 0xa5))
  const before = await readFolder()
  expect(Object.keys(before)).toContain('store.db-wal')
  expect(await openingFails()).toMatch(/is damaged\. .* and remove `\/.*\/store\.db-wal`/)
  const after = await readFolder()
  for (const name of ['store.db', 'store.db-wal']) expect(after[name]).toBe(before[name])
})

// Root may write everywhere, and another user may not read the sources in a closed folder.
const canBeRefused = !isRoot || isOpenToAll(import.meta.dirname)
test.skipIf(!canBeRefused)(
  'a folder or file without write permission is refused, and nothing is written',
  async () => {
    const uid = isRoot ? { uid: nobody } : {}
    await chmod(folder, 0o755)
    await chmod(folder, 0o555)
    const noFile = await openInChild({ url: `sqlite:${path}`, serve: true, ...uid })
    await kill(noFile.child)
    expect(noFile.said).toMatch(
      /^StartError: The database .* cannot be made: `.*rostrum-files-\w+`: permission denied\.$/,
    )
    expect(await readdir(folder)).toEqual([])

    await chmod(folder, 0o755)
    await cp(join(sample, 'store.db'), path)
    await chmod(path, 0o444)
    if (isRoot) await chown(folder, nobody, nobody)
    const before = await readFolder()
    const readOnly = await openInChild({ url: `sqlite:${path}`, serve: true, ...uid })
    await kill(readOnly.child)
    expect(readOnly.said).toMatch(/^StartError: The database .* cannot be written: .*: permission denied\.$/)
    expect(await readFolder()).toEqual(before)
  },
)

test.skipIf(!canBeRefused)(
  'a log that may not be written and a folder that may not be entered are one line that names them',
  async () => {
    const uid = isRoot ? { uid: nobody } : {}
    const says = async (reason: string) => {
      const { child, said } = await openInChild({ url: `sqlite:${path}`, serve: true, ...uid })
      await kill(child)
      expect(said).toBe(`StartError: The database \`${path}\` cannot be ${reason}: permission denied.`)
    }
    await cp(join(sample, 'store.db'), path)
    await writeFile(`${path}-wal`, '', { mode: 0 })
    if (isRoot) for (const name of [folder, path]) await chown(name, nobody, nobody)
    await says(`written: \`${path}-wal\``)
    await rm(`${path}-wal`)
    await chmod(folder, 0o500)
    await says(`written: \`${folder}\``)
    await chmod(folder, 0o600)
    await says('reached')
    await chmod(folder, 0o700)
  },
)

test('a path that is too long is refused', async () => {
  expect(await openingFails(join(folder, 'x'.repeat(300)))).toMatch(
    /cannot be reached: the path is too long\.$/,
  )
})

test('a disk without room is one clear line, and the store opens once there is room', async () => {
  await mkdir(join(folder, 'full'))
  const url = `sqlite:${join(folder, 'full', 'store.db')}`
  const full = await openInChild({ url, serve: true, maxFileKib: 32 })
  await kill(full.child)
  expect(full.said).toMatch(/^StartError: The database .* cannot be opened: [^\n]+\.$/)
  const store = await openStore({ url, serve: true })
  expect(await store.accounts.isEmpty()).toBe(true)
  await store.close()
})

test('a start that finds no room for the index of the log says that the disk is full', async () => {
  await cp(join(sample, 'store.db'), path)
  const full = await openInChild({ url: `sqlite:${path}`, serve: true, maxFileKib: 16 })
  await kill(full.child)
  expect(full.said).toBe(`StartError: The database \`${path}\` cannot be read: the disk is full.`)
})

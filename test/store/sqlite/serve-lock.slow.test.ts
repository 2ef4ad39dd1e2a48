import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StartError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { kill, openInChild } from '../databases/open-in-child.ts'

let folder: string
let url: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rostrum-lock-'))
  url = `sqlite:${join(folder, 'store.db')}`
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a second gateway on the same file is refused, and may serve it when the first was killed', async () => {
  const { child, said } = await openInChild({ url, serve: true })
  expect(said).toBe('open')
  try {
    const failure = await openStore({ url, serve: true }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toMatch(/^StartError: Another gateway serves the database [^\n]*$/)
  } finally {
    await kill(child)
  }
  const store = await openStore({ url, serve: true })
  await store.ping()
  await store.close()
})

test('a command may read and write the file of a serving gateway', async () => {
  const { child } = await openInChild({ url, serve: true })
  try {
    const store = await openStore({ url })
    expect(await store.accounts.ensure('a')).toBe(true)
    await store.close()
  } finally {
    await kill(child)
  }
})

test('a gateway that was closed lets the next one serve', async () => {
  for (const _ of [1, 2]) {
    const store = await openStore({ url, serve: true })
    await expect(openStore({ url, serve: true })).rejects.toThrow(/Another gateway/)
    await store.close()
  }
})

test('a link to a file that is not there yet is served, under the lock of that file', async () => {
  await symlink(join(folder, 'store.db'), join(folder, 'link.db'))
  const store = await openStore({ url: `sqlite:${join(folder, 'link.db')}`, serve: true })
  await expect(openStore({ url, serve: true })).rejects.toThrow(/Another gateway/)
  await store.close()
})

test('a link to the file does not get around the lock', async () => {
  const store = await openStore({ url, serve: true })
  await symlink(join(folder, 'store.db'), join(folder, 'link.db'))
  const link = `sqlite:${join(folder, 'link.db')}`
  await expect(openStore({ url: link, serve: true })).rejects.toThrow(/Another gateway/)
  await store.close()
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { noLimits, type StoreLimits } from '../../../src/domain/store-limits.ts'
import { type OpenStore, openStore } from '../../../src/store/open-store.ts'
import { createDatabase, createEmptyDatabase, releaseDatabase } from './create-database.ts'

interface OpenOptions {
  readonly url?: string
  readonly limits?: Partial<StoreLimits>
  readonly onStatement?: (sql: string) => void
  readonly observe?: NonNullable<OpenStore['observe']>
}

export interface Harness {
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** URL of a store without rows. */
  freshUrl(): Promise<string>
  /** URL of a store without tables. */
  emptyUrl(): Promise<string>
  /** An open store, a new one unless a URL is given; closed when the test ends. */
  open(options?: OpenOptions): Promise<Store>
}

// The bytes of a migrated file: to write them takes a tenth of the time of the migrations.
let migrated: Promise<Buffer> | undefined

async function migrate(file: string): Promise<Buffer> {
  await (await openStore({ url: `sqlite:${file}` })).close()
  return readFile(file)
}

/** Runs the same tests on both databases: a SQLite file and the PostgreSQL that the test files share. */
export function eachStore(claims: (harness: Harness) => void): void {
  describe('SQLite', () => {
    let folder: string
    let files = 0
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rostrum-store-'))
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))
    const nameFile = () => {
      files += 1
      return join(folder, `${files}.db`)
    }
    const freshUrl = async () => {
      const file = nameFile()
      migrated ??= migrate(join(folder, 'migrated.db'))
      await writeFile(file, await migrated)
      return `sqlite:${file}`
    }
    claims(createHarness('SQLite', { freshUrl, emptyUrl: async () => `sqlite:${nameFile()}` }))
  })

  describe('PostgreSQL', () => {
    const used: string[] = []
    const freshUrl = async () => {
      const url = await createDatabase()
      used.push(url)
      return url
    }
    // Its hooks come after this one, so they run before it: the stores are closed then.
    afterEach(() => Promise.all(used.splice(0).map(releaseDatabase)))
    claims(createHarness('PostgreSQL', { freshUrl, emptyUrl: createEmptyDatabase }))
  })
}

type Urls = Pick<Harness, 'freshUrl' | 'emptyUrl'>

function createHarness(engine: Harness['engine'], urls: Urls): Harness {
  const opened: Store[] = []
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  return {
    engine,
    ...urls,
    async open({ url, limits, ...watching } = {}) {
      const store = await openStore({
        url: url ?? (await urls.freshUrl()),
        limits: { ...noLimits, ...limits },
        ...watching,
      })
      opened.push(store)
      return store
    },
  }
}

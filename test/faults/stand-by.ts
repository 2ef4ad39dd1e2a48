// Preloaded into a gateway's process. It loads the code and starts on a signal of the test.

import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { importWithDrizzle } from '../../src/store/import-with-drizzle.ts'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/rostrum', import.meta.url)))
await import('../../src/commands/serve.ts')
await importWithDrizzle(() => import('../../src/store/sqlite/open-sqlite-store.ts'))
await once(process, 'message')
process.disconnect?.()

// Preloaded into a gateway's process. It loads the code and starts on a signal of the test.

import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { importQuickly } from '../../../src/import-quickly.ts'

enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/rostrum', import.meta.url)))
await import('../../../src/commands/serve.ts')
await importQuickly(() => import('../../../src/store/sqlite/open-sqlite-store.ts'))
await once(process, 'message')
process.disconnect?.()

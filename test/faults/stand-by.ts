// Preloaded into a gateway's process. It loads the code and starts on a signal of the test.

import { once } from 'node:events'
import { cacheCompiledCode } from '../../src/commands/cache-compiled-code.ts'
import { importWithDrizzle } from '../../src/store/import-with-drizzle.ts'

cacheCompiledCode()
await import('../../src/commands/serve.ts')
await importWithDrizzle(() => import('../../src/store/sqlite/open-sqlite-store.ts'))
await once(process, 'message')
process.disconnect?.()

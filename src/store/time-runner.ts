import type { Runner } from './database.ts'

/** Called with the time of each read and each transaction, in milliseconds, with its wait for a connection. */
export type ObserveStore = (operation: 'read' | 'write', milliseconds: number) => void

/** Returns the same runner, which reports how long each of its statements and transactions takes. */
export function timeRunner(runner: Runner, observe: ObserveStore | undefined): Runner {
  if (observe === undefined) return runner
  const time = async <T>(operation: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      observe(operation, performance.now() - startedAt)
    }
  }
  return {
    read: (...given) => time('read', () => runner.read(...given)),
    write: (...given) => time('write', () => runner.write(...given)),
    writeEach: (...given) => time('write', () => runner.writeEach(...given)),
  }
}

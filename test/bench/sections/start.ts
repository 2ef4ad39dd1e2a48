import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Section } from '../cases/section.ts'
import { median } from '../figures/figures.ts'
import { formatNumber, formatTable } from '../figures/table.ts'
import { type Memory, memoryOf } from '../servers/memory.ts'
import { startRostrum } from '../servers/server-process.ts'

const maxRounds = 5
// In a quiet second the gateway loads what unusual requests need, and in the next one it collects the garbage.
const settleMs = 10_000

export const start: Section = {
  title: 'from spawn to /ready, and memory at rest with the warm sandboxes',
  async run(bench) {
    const firstMs: number[] = []
    const laterMs: number[] = []
    let memory: Memory | null = null
    for (let round = 0; round < Math.min(maxRounds, bench.rounds); round++) {
      const folder = join(bench.folder, `start-${round}`)
      mkdirSync(folder)
      const database = join(folder, 'rostrum.db')
      for (const times of [firstMs, laterMs]) {
        const spawned = performance.now()
        const server = await startRostrum({ ...bench, folder, name: 'start', database })
        times.push(performance.now() - spawned)
        try {
          if (memory === null && times === laterMs) {
            await sleep(settleMs)
            memory = memoryOf(server.pid)
          }
        } finally {
          await server.stop()
        }
      }
    }
    const row = (name: string, times: readonly number[]) => [
      name,
      ...[median(times), Math.min(...times), Math.max(...times)].map(formatNumber),
    ]
    const most = { holds: 'at most' } as const
    return {
      tables: [
        formatTable(
          ['spawn to /ready, ms', 'median', 'least', 'most'],
          [row('first start, empty folder', firstMs), row('later starts', laterMs)],
        ),
        formatTable(
          [`at rest, ${memory?.processes ?? '–'} processes`, 'MB'],
          [
            ['proportional (shared pages divided)', formatNumber(memory?.proportionalMb ?? null)],
            ['resident (shared pages counted for each)', formatNumber(memory?.residentMb ?? null)],
            ['of it the gateway', formatNumber(memory?.ownMb ?? null)],
          ],
        ),
      ],
      notes: [],
      claims: [
        { what: 'First start to /ready', measured: median(firstMs), bound: 1_000, unit: 'ms', ...most },
        { what: 'Later starts to /ready', measured: median(laterMs), bound: 1_000, unit: 'ms', ...most },
        {
          what: 'Memory at rest, proportional',
          measured: memory?.proportionalMb ?? null,
          bound: 250,
          unit: 'MB',
          ...most,
        },
        {
          what: 'Memory at rest, resident',
          measured: memory?.residentMb ?? null,
          bound: 250,
          unit: 'MB',
          ...most,
        },
      ],
    }
  },
}

import { loadCase } from '../cases/load-case.ts'
import type { Bench, Report } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { medianFigures, processorTime } from '../figures/figures.ts'
import { measureRounds, type Rounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { addWebhook } from '../servers/add-hooks.ts'
import type { ServerProcess } from '../servers/server-process.ts'

const names = { read: 'REST read', small: 'refused webhook', large: 'refused webhook, 256 KiB' } as const

/** Deliveries with a bad signature, small and as large as they may be, beside reads over REST. */
export async function reportRefusals(bench: Bench, server: ServerProcess): Promise<Report> {
  const { token } = bench.seed
  await addWebhook(server, token, 'bench')
  for (const kind of ['refusedDelivery', 'refusedLargeDelivery'] as const) {
    await compareAnswers({ servers: [server], kind, token })
  }
  const load = { ...bench, server, connections: 32, token } as const
  const rounds = await measureRounds({
    ...bench,
    cases: [
      loadCase({ ...load, name: names.read, traffic: 'restRead' }),
      loadCase({ ...load, name: names.small, traffic: 'refusedDelivery' }),
      loadCase({ ...load, name: names.large, traffic: 'refusedLargeDelivery' }),
    ],
  })
  return { tables: [formatRounds(rounds, names.read)], notes: [], claims: claimsOf(rounds) }
}

function claimsOf(rounds: Rounds): Report['claims'] {
  const [read, large] = [names.read, names.large].map(
    name => medianFigures(rounds.get(name) ?? []).microseconds,
  )
  return [
    {
      what: 'Webhook refused for its signature: processor time, times a REST read',
      measured: ratioIn(rounds, [names.small, names.read], processorTime),
      bound: 1,
      holds: 'at most',
    },
    {
      what: 'Webhook of 256 KiB refused for its signature: processor time beyond a REST read',
      measured: read == null || large == null ? null : (large - read) / 1_000,
      bound: 2,
      unit: 'ms',
      holds: 'at most',
    },
  ]
}

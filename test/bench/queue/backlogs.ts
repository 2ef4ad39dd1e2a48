import { loadCase } from '../cases/load-case.ts'
import type { Bench, Report } from '../cases/section.ts'
import { hooksOfFanned } from '../figures/data.ts'
import { throughput } from '../figures/figures.ts'
import { measureRounds, type Rounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { backlogCase } from './backlog-case.ts'
import type { QueueServer } from './queue-reader.ts'

type Pair = readonly [QueueServer, QueueServer]

const nameOf = {
  whole: ({ server }: QueueServer) => `${server.name}, saves and runs`,
  drain: ({ server }: QueueServer) => `${server.name}, runs alone`,
  endpoint: ({ server }: QueueServer) => `${server.name}, execution endpoint`,
}

const note = `\`saves and runs\`: a run for each save; runs a second from the first save to the end of the last run.
\`runs alone\`: ${hooksOfFanned} runs for each save; of the runs that were left after the last save. Latencies of both
are those of the saves. \`execution endpoint\`: the same script, 32 connections.`

/** Backlogs of runs after saves, beside the same script through the execution endpoint and beside the peer's jobs. */
export async function reportBacklogs(bench: Bench, own: Pair, peer: QueueServer): Promise<Report> {
  const { generator, seed } = bench
  const { token } = seed
  const cases = [...own, peer].flatMap(of => [
    backlogCase({ ...of, name: nameOf.whole(of), part: 'whole', generator, token }),
    backlogCase({ ...of, name: nameOf.drain(of), part: 'drain', generator, token }),
  ])
  const endpoints = own.map(of => {
    const { server } = of
    const load = { traffic: 'script', connections: 32, generator, token } as const
    return loadCase({ ...load, name: nameOf.endpoint(of), server })
  })
  const rounds = await measureRounds({ ...bench, cases: [...cases, ...endpoints] })
  return {
    tables: [formatRounds(rounds, nameOf.whole(own[0]))],
    notes: [note],
    claims: claimsOf(rounds, own, peer),
  }
}

function claimsOf(rounds: Rounds, own: Pair, peer: QueueServer): Report['claims'] {
  const least = { holds: 'at least' } as const
  const [, onPostgres] = own
  const besidePeer = (name: (of: QueueServer) => string) =>
    ratioIn(rounds, [name(onPostgres), name(peer)], throughput)
  return [
    ...own.map(of => ({
      what: `Queue, ${of.server.name}: runs a second, times the execution endpoint`,
      measured: ratioIn(rounds, [nameOf.drain(of), nameOf.endpoint(of)], throughput),
      bound: 0.8,
      ...least,
    })),
    {
      what: `Queue, PostgreSQL: runs a second from the first save to the last end, times ${peer.server.name}`,
      measured: besidePeer(nameOf.whole),
      bound: 1,
      ...least,
    },
    {
      what: `Queue, PostgreSQL: runs a second without saves, times ${peer.server.name}`,
      measured: besidePeer(nameOf.drain),
      bound: 1,
      ...least,
    },
  ]
}

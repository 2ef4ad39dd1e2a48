import type { Bench, Report } from './cases/section.ts'
import type { Claim } from './figures/claims.ts'
import { compareAnswers } from './figures/compare-answers.ts'
import { median } from './figures/figures.ts'
import { formatNumber, formatTable } from './figures/table.ts'
import type { TrafficKind } from './load/traffic.ts'
import { type Memory, memoryOf } from './servers/memory.ts'
import { type ServerProcess, startRostrum } from './servers/server-process.ts'
import { withServers } from './servers/with-servers.ts'

export interface SoakParts extends Bench {
  readonly runs: number
  readonly reads: number
  /** Hears of the memory now and then, so that a long soak is seen to go on. */
  readonly onProgress: (line: string) => void
}

// Looks at the memory of each half of the soak.
const looks = 50
const rowsShown = 10

interface Sample extends Memory {
  readonly done: number
  readonly of: string
}

/**
 * Reads, then runs, and the memory of all processes all the while: is it the same at the end as it was once all was
 * warm?
 */
export async function soak(parts: SoakParts): Promise<Report> {
  return withServers([() => startRostrum({ ...parts, name: 'rostrum' })], async ([server]) => {
    if (server === undefined) throw new Error('The gateway was not started.')
    const { token } = parts.seed
    const halves = [
      { kind: 'pointRead', of: 'reads', count: parts.reads },
      { kind: 'script', of: 'runs', count: parts.runs },
    ] as const
    for (const { kind } of halves) await compareAnswers({ servers: [server], kind, token })
    const samples: Sample[][] = []
    for (const half of halves) samples.push(await load(parts, server, half))
    return report(samples)
  })
}

interface Half {
  readonly kind: TrafficKind
  readonly of: string
  readonly count: number
}

async function load(parts: SoakParts, server: ServerProcess, { kind, of, count }: Half): Promise<Sample[]> {
  const samples: Sample[] = []
  const look = (done: number) => {
    const memory = memoryOf(server.pid)
    if (memory === null) throw new Error('The soak needs /proc, to see the memory of all processes.')
    samples.push({ ...memory, done, of })
    if (samples.length % 10 === 1)
      parts.onProgress(`${done.toLocaleString('en')} ${of}: ${formatNumber(memory.residentMb)} MB`)
  }
  look(0)
  for (let i = 0; i < looks; i++) {
    const [from, to] = [Math.round((i * count) / looks), Math.round(((i + 1) * count) / looks)]
    const load = { traffic: kind, connections: 32, seconds: 0, token: parts.seed.token }
    await parts.generator.run({ ...load, ports: [server.port], from, requests: to - from })
    look(to)
  }
  return samples
}

function report(samples: readonly (readonly Sample[])[]): Report {
  const shown = samples.flatMap(half => half.filter((_, i) => i % Math.ceil(looks / rowsShown) === 0))
  const rows = shown.map(({ done, of, processes, ...memory }) => [
    `${done.toLocaleString('en')} ${of}`,
    ...[memory.ownMb, sandboxMb({ ...memory, processes }), memory.residentMb, memory.proportionalMb].map(
      formatNumber,
    ),
    String(processes),
  ])
  return {
    tables: [
      formatTable(
        ['', 'gateway, MB', 'a sandbox, MB', 'all, resident MB', 'all, proportional MB', 'processes'],
        rows,
      ),
    ],
    notes: [],
    claims: [
      ...samples.map(half => flatness('the gateway', half, ({ ownMb }) => ownMb)),
      ...samples.slice(1).map(half => flatness('a sandbox', half, sandboxMb)),
    ],
  }
}

/** The mean of the sandboxes: there are more of them while runs wait, and fewer after, so the sum alone says little. */
function sandboxMb({ residentMb, ownMb, processes }: Omit<Memory, 'proportionalMb'>): number {
  return (residentMb - ownMb) / Math.max(1, processes - 1)
}

// The issue says "flat": the last fifth of a half beside its second fifth, when all is warm.
function flatness(who: string, half: readonly Sample[], pick: (sample: Sample) => number): Claim {
  const fifth = Math.floor(half.length / 5)
  const of = (part: readonly Sample[]) => median(part.map(pick))
  return {
    what: `Memory of ${who} over ${half.at(-1)?.of}: last fifth, times the second fifth`,
    measured: of(half.slice(-fifth)) / of(half.slice(fifth, 2 * fifth)),
    bound: 1.1,
    holds: 'at most',
  }
}

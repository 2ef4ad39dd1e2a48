import { OutboundWaits } from '../../../../src/scripts/outbound/outbound-waits.ts'
import { Admission, type Admitted } from '../../../../src/scripts/pool/admission.ts'
import { SandboxPool } from '../../../../src/scripts/pool/sandbox-pool.ts'
import { until } from '../../../server/processes/until.ts'
import { type Speech, speakingCommand } from '../../run/spoken-tasks.ts'
import { silentLog } from '../../run/start-tasks.ts'

// Reports `ready` and waits, which is all that admission needs of a sandbox. It boots quickly.
const script =
  '[ -e "$1" ] && exit 3; read modules; sleep $0; echo \'{"type":"ready"}\'; while read -r line; do :; done'

const started: {
  readonly admission: Admission
  readonly pool: SandboxPool
  readonly waiting: Set<Promise<Admitted>>
}[] = []

interface AdmissionSettings {
  readonly max: number
  readonly warm?: number
  readonly runs?: number
  readonly accountRuns?: number
  readonly waitMs?: number
  readonly bootMs?: number
  /** Measures how long accounts hold sandboxes. By default it stands still, so that only numbers and order count. */
  readonly readMs?: () => number
  /** Path of a file. While it exists, no sandbox boots. */
  readonly failsWhile?: string
  /** How many sandboxes may compute at once for an account that holds one; by default it does not matter. */
  readonly computing?: number
  /** Runs after which a sandbox is worn. */
  readonly maxRuns?: number
  /** What the sandboxes say; nothing but that they are ready by default. */
  readonly speech?: Speech
}

interface AskOptions {
  readonly nested?: boolean
  readonly deadline?: number
  readonly signal?: AbortSignal
}

/** Admission over real processes. */
export async function startAdmission({
  max,
  warm = max,
  runs = 100,
  accountRuns = 50,
  waitMs = 60_000,
  bootMs = 0,
  readMs = () => 0,
  failsWhile = '',
  computing = max,
  maxRuns,
  speech,
}: AdmissionSettings) {
  const env = { PATH: process.env.PATH ?? '' }
  const quiet = {
    file: 'sh',
    args: ['-c', script, String(bootMs / 1000), failsWhile],
    env,
    firstLine: '{}',
  }
  const pool = new SandboxPool({
    command: speech === undefined ? quiet : speakingCommand(speech),
    maxFrameBytes: 1_000,
    maxUnreadBytes: 1_000,
    warm,
    max,
    maxRuns,
    log: silentLog,
  })
  const limits = { runs, accountRuns, waitMs, sandboxes: max, computing }
  const admission = new Admission({ pool, outboundWaits: new OutboundWaits(), limits, readMs })
  const waiting = new Set<Promise<Admitted>>()
  started.push({ admission, pool, waiting })
  pool.start()
  await until(() => pool.isReady)

  function ask(accountCode: string, options: AskOptions = {}): Promise<Admitted> {
    const { nested = false, deadline = performance.now() + 600_000, signal } = options
    const request = { accountCode, nested, deadline, signal: signal ?? new AbortController().signal }
    const asked: Promise<Admitted> = admission.acquire(request).finally(() => waiting.delete(asked))
    waiting.add(asked)
    return asked
  }

  /** `waiting` counts the requests without an answer. */
  return { pool, admission, ask, waiting: () => waiting.size }
}

/** Ends the admissions, and refuses the requests that still wait: after the test, nobody awaits them. */
export async function closeAdmissions(): Promise<void> {
  for (const { admission, pool, waiting } of started.splice(0)) {
    for (const asked of waiting) asked.catch(() => undefined)
    admission.close()
    await pool.close()
  }
}

/** The error of a run that was not admitted; null if it was. */
export function refusal(asked: Promise<Admitted>): Promise<unknown> {
  return asked.then(
    () => null,
    (error: unknown) => error,
  )
}

/** Ends a run that did nothing, so that its sandbox is idle again. */
export function giveBack({ sandbox, release }: Admitted): void {
  release()
  sandbox.vacate()
}

/** Ends a run by killing its sandbox. */
export async function lose({ sandbox, release }: Admitted): Promise<void> {
  sandbox.kill('was ended because its gateway stopped')
  release()
  await sandbox.gone
}

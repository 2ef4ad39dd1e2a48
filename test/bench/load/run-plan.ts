import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { startPacer } from './pacer.ts'
import type { LoadResult, Plan } from './plan.ts'
import { type LoadRequest, requestOf } from './traffic.ts'

const nanosecondsPerMs = 1e6

const overloadedStart = '{"type":"urn:rostrum:problem:overloaded"'

/** Sends the load; rejects at the first answer that is not the one expected. */
export async function runPlan(plan: Plan): Promise<LoadResult> {
  const pools = openPools(plan)
  const latencies = createHistogram()
  const lateness = createHistogram()
  const cpu = process.cpuUsage()
  const started = performance.now()
  let sent = 0

  async function sendNext(plannedAt: number, n = sent): Promise<void> {
    const pool = pools[n % pools.length]
    if (pool === undefined) throw new Error('A load needs a port to go to.')
    await send(pool, plan.token, requestOf(plan.traffic, plan.from + sent++))
    record(latencies, performance.now() - plannedAt)
  }

  const mayGoOn = () =>
    plan.requests === undefined ? performance.now() - started < plan.seconds * 1000 : sent < plan.requests

  async function sendOnAndOn(_: unknown, connection: number): Promise<void> {
    while (mayGoOn()) await sendNext(performance.now(), connection)
  }

  function sendAtPace(perSecond: number): Promise<unknown> {
    const answers: Promise<void>[] = []
    return new Promise((resolve, reject) => {
      const pacer = startPacer(perSecond, plannedAt => {
        if (mayGoOn()) {
          record(lateness, performance.now() - plannedAt)
          const answer = sendNext(plannedAt)
          answer.catch(reject)
          answers.push(answer)
        } else {
          pacer.stop()
          resolve(Promise.all(answers))
        }
      })
    })
  }

  const sending =
    plan.perSecond === undefined
      ? Promise.all(Array.from({ length: plan.connections }, sendOnAndOn))
      : sendAtPace(plan.perSecond)
  if (plan.isCutAtEnd) await cutAfter(plan.seconds * 1000, pools, sending)
  else await sending
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await Promise.all(pools.filter(pool => !pool.destroyed).map(pool => pool.close()))
  return {
    requests: sent,
    seconds,
    p50Ms: latencies.percentile(50) / nanosecondsPerMs,
    p99Ms: latencies.percentile(99) / nanosecondsPerMs,
    latenessP99Ms: lateness.count === 0 ? 0 : lateness.percentile(99) / nanosecondsPerMs,
    generatorShare: (user + system) / 1e6 / seconds,
  }
}

function openPools({ ports, connections }: Plan): Pool[] {
  const each = Math.ceil(connections / ports.length)
  return ports.map(port => new Pool(`http://127.0.0.1:${port}`, { connections: each, pipelining: 1 }))
}

// What is cut fails, and is meant to; a failure before that counts.
async function cutAfter(ms: number, pools: readonly Pool[], sending: Promise<unknown>): Promise<void> {
  let isOver = false
  const stopped = sending.catch(error => {
    if (!isOver) throw error
  })
  await Promise.race([sleep(ms), stopped])
  isOver = true
  await Promise.all(pools.map(pool => pool.destroy()))
  await stopped
}

function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * nanosecondsPerMs)))
}

function send(pool: Pool, token: string, request: LoadRequest): Promise<void> {
  const { method, path, body, status, answerStart, mayBeRefused } = request
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    ...request.headers,
  }
  const longestStart = Math.max(answerStart.length, overloadedStart.length)
  return new Promise((resolve, reject) => {
    let got = 0
    let start = ''
    pool.dispatch(
      { method, path, headers, ...(body && { body }) },
      {
        onRequestStart() {},
        onResponseStart: (_, statusCode) => {
          got = statusCode
        },
        onResponseData: (_, chunk) => {
          if (start.length < longestStart) start += chunk.toString()
        },
        onResponseEnd: () => {
          if (got === status && start.startsWith(answerStart)) return resolve()
          if (mayBeRefused && got === 429 && start.startsWith(overloadedStart)) return resolve()
          reject(
            new Error(`${method} ${path}: ${got} ${start.slice(0, 300)} instead of ${status} ${answerStart}`),
          )
        },
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

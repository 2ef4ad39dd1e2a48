import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { BoundLog } from './bound-log.ts'
import type { Config } from './config.ts'
import { createContextFactory } from './context.ts'
import { createAuthenticator } from './credentials/authenticator.ts'
import { createTokenUses } from './credentials/token-uses.ts'
import { type FirstStart, prepareFirstStart } from './domain/directory/first-start.ts'
import { createEventFollowers } from './domain/events/event-followers.ts'
import { createSweeps } from './domain/expired-rows.ts'
import { createKeyedRequests, findKeyLimits } from './domain/idempotency/keyed-requests.ts'
import { createDeadRunReport } from './domain/queue/report-dead-runs.ts'
import { type QueueWork, startQueueWork } from './domain/queue/work-queue.ts'
import { createRunRecorder } from './domain/runs/record-runs.ts'
import { noRecorder } from './domain/scripts/run-record.ts'
import { createFollowing, createRulesFactory } from './domain/services.ts'
import type { Store } from './domain/store.ts'
import { startSweeping } from './domain/sweeping.ts'
import { createKeyring } from './domain/webhooks/keyring.ts'
import { createMessageRuns } from './domain/webhooks/message-runs.ts'
import { RefusedDeliveries } from './domain/webhooks/refused-deliveries.ts'
import { createRunDelivery } from './domain/webhooks/run-delivery.ts'
import { createWebhookLookUp } from './domain/webhooks/webhook-look-up.ts'
import { findMaxAnswerBytes, findMaxLongBytes } from './fairness/answer-bytes.ts'
import { FairTurns } from './fairness/fair-turns.ts'
import { createEngine } from './graphql/engine.ts'
import { createInProcess } from './graphql/in-process.ts'
import { createServer, type HttpServer } from './http/create-server.ts'
import { graphqlPath, webhookPath } from './http/paths.ts'
import { createReadiness } from './http/readiness.ts'
import { createHttpBudgets } from './http/request/budgets.ts'
import { createRateLimiter } from './http/request/rate-limit.ts'
import { restRoutes } from './http/rest/rest-routes.ts'
import { Counts } from './metrics/counts.ts'
import { createMetrics } from './metrics/metrics.ts'
import { schema } from './schema/index.ts'
import type { StandIn } from './scripts/calls/answer-call.ts'
import { createScriptRunner, type ServingScriptRunner } from './scripts/create-script-runner.ts'
import type { SandboxPool } from './scripts/pool/sandbox-pool.ts'
import { createRunTokens, hideRunTokens } from './scripts/run/run-tokens.ts'
import { createLoaders } from './store/batch-loaders.ts'
import { openStore } from './store/open-store.ts'
import type { Tracing } from './tracing/span.ts'
import { traceStore } from './tracing/trace-store.ts'

// The paths of the OpenAPI document, that of GraphQL, and the probes.
const countedRoutes = [...restRoutes.map(({ path }) => path), webhookPath, graphqlPath, '/health', '/ready']
const reportRefusedEveryMs = 10_000

export interface AppOptions {
  readonly config: Config
  readonly log: Logger
  /** Null or absent if no traces are sent. */
  readonly tracing?: Tracing | null
  /** Called once if the store cannot come back while this process lives, with the reason. */
  readonly onStoreLost?: (reason: string) => void
  /** Called with each statement sent to the store; tests count them. */
  readonly onStatement?: (sql: string) => void
  /** Answers the calls of scripts in their place, for tests of scripts. */
  readonly standIn?: StandIn
  /** Sandboxes that boot already, for a gateway that must be quick. `close` closes them. */
  readonly pool?: SandboxPool
  /** False sends every GraphQL request through Yoga, for the test that compares the two paths. */
  readonly hasFastPath?: boolean
}

/** A wired application. It does not listen by itself. */
export interface App {
  readonly server: HttpServer
  readonly store: Store
  /** Creates the account and token of an empty store. Call it after listening, so that the token can be printed. */
  prepare(): Promise<FirstStart>
  /** Starts the sandboxes, so that `/ready` can become true. */
  start(): Promise<void>
  /** Refuses new work, waits up to 10 s for requests in flight, ends every child and closes the store. */
  close(): Promise<void>
}

/** The composition root: creates an application from its configuration. Throws a `StartError` if the store fails. */
export async function createApp({
  config,
  log,
  tracing = null,
  onStoreLost = () => {},
  onStatement,
  hasFastPath = true,
  standIn,
  pool,
}: AppOptions): Promise<App> {
  const counts = new Counts(countedRoutes)
  const store = await openStore({
    url: config.databaseUrl,
    serve: true,
    limits: config.storeLimits,
    onLost: onStoreLost,
    onWait() {
      log.warn('the gateway migrates the database, or waits for others that use it')
      return new Promise<void>(resolve => log.flush(() => resolve()))
    },
    observe: (operation, milliseconds) => counts.store[operation].add(milliseconds),
    ...(onStatement === undefined ? {} : { onStatement }),
  })
  const runTokens = createRunTokens()
  const tokenUses = createTokenUses({
    store: store.tokens,
    onError: err => log.warn({ err }, 'days of last use could not be stored'),
  })
  const { jwtSecret, jwksUrl } = config
  const { authenticate, confirm } = createAuthenticator({
    store,
    tokenUses,
    findRun: runTokens.find,
    jwtSecret,
    jwksUrl,
  })
  const keyedRequests = createKeyedRequests(store.idempotency, findKeyLimits(config.accountKeyBytes))
  const followers = createEventFollowers(store.events)
  const { bodyBytes, accountRequests, runLimits } = config
  const maxAnswerBytes = findMaxAnswerBytes(runLimits)
  const turns = new FairTurns(accountRequests)
  const engine = createEngine({ schema })

  const gateway = randomUUID()
  const runRecorder = createRunRecorder({
    store: store.runs,
    gateway,
    hideSecrets: hideRunTokens,
    onError: (err, runs) => log.warn({ err, runs }, 'runs could not be kept'),
  })
  const sweeps = createSweeps(store, { runs: config.runRetention, eventMs: config.eventMs })
  const stopSweeping = startSweeping(sweeps, {
    store: store.runs,
    gateway,
    onError: err => log.warn({ err }, 'expired rows could not be deleted'),
  })

  const scripts: ServingScriptRunner = createScriptRunner({
    config,
    runTokens,
    recorder: config.runRetention.count === 0 ? noRecorder : runRecorder,
    log,
    executeGraphql: call => executeInProcess(call),
    standIn,
    pool,
    counts,
  })

  const keyring = createKeyring({
    keys: config.secretsKeys,
    keyFile: store.keyFile,
    findKeyIds: store.webhooks.findKeyIds,
  })
  if (store.keyFile?.isOpenToOthers()) {
    log.warn({ file: store.keyFile.path }, 'other users can read this key file: run chmod 600 on it')
  }
  const webhookLookUp = createWebhookLookUp({
    store: store.webhooks,
    keyring,
    onUnreadable: place =>
      log.warn(place, 'no key that is set opens what this webhook checks signatures with'),
  })
  const refusedDeliveries = new RefusedDeliveries({
    onRefused: refusal => log.warn(refusal, 'delivery refused'),
    onLeftOut: count => log.warn(count, 'more deliveries were refused'),
  })
  const reportingRefused = setInterval(() => refusedDeliveries.report(), reportRefusedEveryMs).unref()

  const waitForTurn = (accountCode: string) => turns.wait(accountCode)
  const createRules = createRulesFactory({
    scripts,
    deferRuns: runRecorder.defer,
    keyring,
    onWebhookChange: webhookLookUp.forget,
    waitForTurn,
  })
  const services = {
    ...createRules(store),
    following: createFollowing(store, followers, waitForTurn),
    scripts,
  }
  const createContext = createContextFactory({
    services,
    traceServices: span => ({ ...services, ...createRules(traceStore(store, span)) }),
    maxLongBytes: findMaxLongBytes(runLimits),
    timeoutMs: runLimits.timeoutMs,
    confirm,
    waitForTurn,
    createLoaders: (accountCode, pace, span) =>
      createLoaders({
        store: traceStore(store, span),
        accountCode,
        pace,
        waitForTurn: () => waitForTurn(accountCode),
      }),
  })

  const executeInProcess = createInProcess({
    engine,
    turns,
    maxLongBytes: runLimits.graphqlAnswerBytes,
    confirm,
    createContext,
  })

  let queueWork: QueueWork | null = null
  const readiness = createReadiness({ store, isSandboxReady: scripts.ready, log })

  const printMetrics = createMetrics({
    counts,
    store: config.databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgres',
    readScripts: scripts.gauges,
    countQueued: store.queue.countAll,
    log,
  })
  let metricsServer: Server | null = null
  let stopWatching = () => {}
  const server = await createServer({
    engine,
    authenticate,
    createContext,
    findUnready: readiness.findUnready,
    keyedRequests,
    reserveRunPlace: scripts.reserveSlot,
    turns,
    maxSandboxes: config.sandboxes.max,
    bodyBytes,
    sourceBytes: runLimits.sourceBytes,
    webhookBytes: config.webhookBytes,
    webhooks: {
      lookUp: webhookLookUp,
      refused: refusedDeliveries,
      messages: createMessageRuns({
        idempotency: store.idempotency,
        webhooks: store.webhooks,
        accountBytes: config.accountKeyBytes,
      }),
      runDelivery: createRunDelivery({ functions: store.functions, scripts, deferRuns: runRecorder.defer }),
    },
    maxAnswerBytes,
    budgets: createHttpBudgets(Math.max(bodyBytes, config.webhookBytes)),
    log,
    counts,
    countRate: config.rateLimit === null ? null : createRateLimiter(config.rateLimit),
    trustedProxies: config.trustedProxies,
    printMetrics: config.metricsPort === null ? printMetrics : null,
    tracing,
    hasFastPath,
  })
  return {
    server,
    store,
    async prepare() {
      const firstStart = await prepareFirstStart(store, config.adminToken)
      readiness.endFirstStart()
      return firstStart
    },
    async start() {
      await scripts.start()
      stopWatching = readiness.watch()
      if (config.metricsPort !== null) {
        const { serveMetrics } = await import('./http/metrics/serve-metrics.ts')
        metricsServer = await serveMetrics(printMetrics, { host: config.host, port: config.metricsPort, log })
      }
      queueWork = startQueueWork({
        store: store.queue,
        findLive: store.functions.findLive,
        capacity: scripts.queuedCapacity,
        scripts,
        log: new BoundLog(log),
        tracing,
        hideSecrets: hideRunTokens,
        deferRuns: runRecorder.defer,
        ...config.queuedRuns,
        onDead: createDeadRunReport({ findFunctions: store.functions.findByIds, linesOf: scripts.linesOf }),
        onError: err => log.warn({ err }, 'the work on queued runs failed'),
      })
    },
    async close() {
      stopWatching()
      const workEnd = Promise.all([queueWork?.close(), stopSweeping()])
      followers.endAll()
      await server.close()
      // Node reports connections that were cut off when this turn of the event loop ends, or the next one. Only that
      // ends their requests. Otherwise their runs would seem to crash, and keys would keep that.
      await nextTurn()
      await nextTurn()
      metricsServer?.close()
      metricsServer?.closeAllConnections()
      clearInterval(reportingRefused)
      refusedDeliveries.reportAll()
      await workEnd
      await scripts.close()
      await Promise.all([runRecorder.close(), tokenUses.close()])
      await store.close()
      await tracing?.close()
    },
  }
}

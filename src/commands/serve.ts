import { once } from 'node:events'
import { createServer } from 'node:net'
import { type App, createApp } from '../app.ts'
import { cannotListen, type Listening } from '../cannot-listen.ts'
import { type Config, type Environment, readConfig, unknownSettings } from '../config.ts'
import { StartError } from '../errors.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { tuneForRequests } from '../v8/tune.ts'
import { reportFailure } from './report-failure.ts'
import { endProcess, stopOnSignals } from './stop-on-signals.ts'
import { createSystemLog, type SystemLog } from './system-log.ts'
import { writeBanner } from './write-banner.ts'

// Maximum number of connections that the kernel queues until the event loop accepts them. Clients past it retry after a
// second.
const maxWaitingConnections = 4_096
// Maximum time for which a start that failed waits for its log. A busy machine takes a second to write a file.
const flushMs = 3_000

/**
 * Serves until a signal stops the process. Ends it with the reason if it cannot start. Throws a `StartError` with a
 * one-line message for wrong settings.
 */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  refuseSharedPort(config)
  const systemLog = await createSystemLog(config)
  try {
    await startToServe(environment, config, systemLog)
  } catch (error) {
    const isLogWritten = await systemLog.flush(flushMs)
    endProcess(reportFailure(error), isLogWritten)
  }
  tuneForRequests()
}

async function startToServe(
  environment: Environment,
  config: Config,
  { log, write, flush }: SystemLog,
): Promise<void> {
  await refuseTakenPorts(config)
  const storeLost = Promise.withResolvers<string>()
  const tracing = await openTracing({
    environment,
    log,
    databaseUrl: config.databaseUrl,
    maxEvents: config.runLimits.logEntries,
  })
  const app = await createApp({ config, log, tracing, onStoreLost: storeLost.resolve })
  const started = Promise.withResolvers<boolean>()
  // From here on, a failure must end all child processes and release the lock.
  try {
    stopOnSignals({ app, log, flush, started: started.promise, storeLost: storeLost.promise })
    await app.start()
    await listen(app, config)
    const firstStart = await app.prepare()
    writeBanner({ url: urlOf(app, config), firstStart, write })
  } catch (error) {
    started.resolve(false)
    await app.close()
    throw error
  }
  for (const name of unknownSettings(environment)) log.warn({ name }, 'unknown setting; is it misspelt?')
  log.info({ url: urlOf(app, config) }, 'serving')
  started.resolve(true)
}

// Two ports that are 0 differ once they are taken.
function refuseSharedPort({ port, metricsPort }: Config): void {
  if (metricsPort !== port || port === 0) return
  throw new StartError(
    `The setting ROSTRUM_METRICS_PORT must be another port than PORT; both are \`${port}\`.`,
  )
}

// A gateway that cannot listen must not migrate the database: one of an older version may serve it, at the same port. A
// SQLite file has a lock against that.
async function refuseTakenPorts({ databaseUrl, host, port, metricsPort }: Config): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) return
  await refuseTakenPort({ host, port, setting: 'PORT' })
  if (metricsPort !== null)
    await refuseTakenPort({ host, port: metricsPort, setting: 'ROSTRUM_METRICS_PORT' })
}

async function refuseTakenPort(listening: Listening): Promise<void> {
  const { host, port } = listening
  // Any free port.
  if (port === 0) return
  const server = createServer(socket => socket.destroy())
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    throw cannotListen(error, listening)
  }
  server.close()
  await once(server, 'close')
}

async function listen({ server }: App, { host, port }: Config): Promise<void> {
  try {
    await server.listen({ host, port, backlog: maxWaitingConnections })
  } catch (error) {
    throw cannotListen(error, { host, port, setting: 'PORT' })
  }
}

function urlOf({ server }: App, { host, port }: Config): string {
  const address = server.server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound}`
}

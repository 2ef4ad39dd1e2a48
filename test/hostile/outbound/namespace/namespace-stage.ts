import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Script } from '../../../server/clients/gateway-client.ts'
import { startServer, type TestServer } from '../../../server/gateways/start-server.ts'
import { makeTempFolder } from '../../../server/processes/temp-folder.ts'
import { listedHosts } from '../answers/listed-calls.ts'
import { startCanaries } from '../hosts/canaries.ts'
import { makeAuthority } from './certificates.ts'
import { startNameServer } from './name-server.ts'
import type { Report } from './namespace-reports.ts'
import { zone } from './zone.ts'

/** A port that no entry lists, with a canary. */
export const canaryPort = 9090

export interface NamespaceStage {
  readonly server: TestServer
  /** Runs a script and reports what it ended with, and what was seen meanwhile. */
  report(script: Script, name: Pick<Report, 'group' | 'name'>): Promise<Report>
  stop(): Promise<void>
}

/**
 * To be called in a network and a mount namespace of one's own: makes every address there is this machine's, serves the
 * zone and the canaries on all of them, and starts the real gateway amid them.
 */
export async function startNamespaceStage(
  settings: Readonly<Record<string, string>>,
): Promise<NamespaceStage> {
  const folder = makeTempFolder()
  const bind = (target: string, text: string) => {
    const source = join(folder.path, target.replaceAll('/', '-'))
    writeFileSync(source, text)
    execFileSync('mount', ['--bind', source, target])
  }
  execFileSync('ip', ['link', 'set', 'lo', 'up'])
  execFileSync('ip', ['route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo'])
  execFileSync('ip', ['-6', 'route', 'add', 'local', '::/0', 'dev', 'lo'])
  bind('/etc/resolv.conf', 'nameserver 127.0.0.1\noptions timeout:3 attempts:1\n')
  bind('/etc/nsswitch.conf', 'hosts: files dns\n')
  bind('/etc/hosts', '127.0.0.1 localhost hosts-file.test hosts-file-unlisted.test ip6-localhost\n')

  const authority = makeAuthority('authority of the tests')
  const stranger = makeAuthority('authority of nobody')
  const authorityFile = join(folder.path, 'authority.pem')
  writeFileSync(authorityFile, authority.cert)

  const names = await startNameServer(zone)
  const canaries = await startCanaries(
    {
      http: [22, 80, 3128, 8080, 8081, canaryPort],
      https: {
        443: {
          '*': authority.issue(['93.184.216.77', 'other.test']),
          'public.test': authority.issue(['public.test']),
          'expired.test': authority.issue(['expired.test'], true),
          'self-signed.test': stranger.issue(['self-signed.test']),
        },
        8443: { '*': authority.issue(['public.test']) },
      },
    },
    `127.0.0.1:${canaryPort}`,
  )
  const server = await startServer({
    PORT: '4010',
    ROSTRUM_GRAPHQL_HOSTS: listedHosts.join(),
    NODE_EXTRA_CA_CERTS: authorityFile,
    ...settings,
  })

  return {
    server,
    async report(script, name) {
      const before = [canaries.connections.length, canaries.requests.length, names.asked.length]
      const startedAt = performance.now()
      const { body } = await server.execute(script)
      const ms = performance.now() - startedAt
      // A connection that was made may not have been noticed yet.
      await sleep(5)
      const { outcome, error, payload, message } = body.task_execution
      return {
        ...name,
        outcome: error === null ? outcome : `error/${error.code}`,
        said: payload ?? message ?? error?.message ?? null,
        ms,
        connections: canaries.connections.slice(before[0]),
        requests: canaries.requests.slice(before[1]),
        asked: names.asked.slice(before[2]),
      }
    },
    async stop() {
      await server.stop()
      canaries.close()
      names.close()
      folder.remove()
    },
  }
}

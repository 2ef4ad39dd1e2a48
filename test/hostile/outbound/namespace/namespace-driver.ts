// Started in a network and a mount namespace of its own. Prints what became of each call as JSON, a line each.
import { readFileSync } from 'node:fs'
import type { Script } from '../../../server/clients/gateway-client.ts'
import { listedCalls } from '../answers/listed-calls.ts'
import { scenarios } from '../hosts/scenarios.ts'
import type { Report } from './namespace-reports.ts'
import { canaryPort, startNamespaceStage } from './namespace-stage.ts'
import { unlistedUrls } from './unlisted-urls.ts'

const proxy = 'http://10.9.9.9:3128'
const stage = await startNamespaceStage({
  ROSTRUM_TASK_TIMEOUT_MS: '6000',
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  ALL_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NODE_USE_ENV_PROXY: '1',
})

const call = (url: string) => ({
  sourceCode: `exit(await graphql('{ x }', { a: 1 }, payload).then(
    json => ({ json }), ({ message }) => ({ message })))`,
  inputDocument: JSON.stringify(url),
})

async function print(script: Script, group: Report['group'], name: string) {
  console.log(JSON.stringify(await stage.report(script, { group, name })))
}

for (const url of unlistedUrls) await print(call(url), 'unlisted', url)
for (const { title, url } of listedCalls) await print(call(url), 'listed', title)

const corpus = readFileSync(new URL('../../corpus/corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
for (const line of corpus) {
  const { id, class: kind, input } = JSON.parse(line.replaceAll('{CANARY_PORT}', String(canaryPort)))
  if (kind === 'ssrf') await print(input, 'corpus', id)
}
for (const { title, sourceCode } of scenarios) await print({ sourceCode }, 'scenario', title)
await print({ sourceCode: 'exit()' }, 'log', stage.server.stdout())
await stage.stop()

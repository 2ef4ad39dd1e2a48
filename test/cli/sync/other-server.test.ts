import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { findViewer } from '../../../src/cli/account/login-command.ts'
import { createGatewayClient } from '../../../src/cli/gateway/gateway-client.ts'
import { findRuns, listEnded } from '../../../src/cli/runs/find-runs.ts'
import { findLiveFunctions } from '../../../src/cli/sync/live-functions.ts'

test('a GraphQL server without the fields of a gateway is 69, with the line that says so', async () => {
  const server = createServer((_request, response) => response.end('{"data":{"viewer":null,"runs":null}}'))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: 'rst_other' }, new AbortController().signal)
  const said = { exitCode: 69, message: `What answers at ${url} is no Rostrum gateway. Check \`--url\`.` }
  await expect(findViewer(client)).rejects.toMatchObject(said)
  await expect(findRuns(client, {}, 1)).rejects.toMatchObject(said)
  await expect(listEnded(client, {}, null)).rejects.toMatchObject(said)
  await expect(findLiveFunctions(client)).rejects.toMatchObject(said)
})

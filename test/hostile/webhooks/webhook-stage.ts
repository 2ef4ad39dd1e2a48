import { connect, type Socket } from 'node:net'
import { startApp } from '../../http/edge/start-app.ts'
import { startSandboxes } from '../../http/rest/save-hook.ts'
import { signStandard } from '../../server/clients/webhooks.ts'

/** A gateway with a webhook whose path and secret these are. */
export async function startWebhookStage(environment: Record<string, string> = {}) {
  const path = '/api/1/webhook/demo/real'
  const app = await startApp(environment)
  await startSandboxes(app)
  const saved = await app.graphql(
    'mutation { saveFunction(input: {name: "f", sourceCode: "exit(payload)"}) { id } }',
  )
  const { body } = await app.graphql(`mutation { saveWebhook(input: {
    name: "real", verification: STANDARD, mode: SYNC, functionId: "${saved.body.data.saveFunction.id}"
  }) { secret } }`)
  const secret: string = body.data.saveWebhook.secret
  const send = (to: string, headers: Record<string, string> = {}, body = '{}') =>
    app.send(to, { method: 'POST', token: null, headers, body })
  return {
    app,
    path,
    secret,
    send,
    sendSigned: (body = '{"a":1}') => send(path, signStandard({ secret, body }), body),
    /** Opens connections whose bodies of 256 KiB stop after 1,000 bytes, or after `sentBytes`. */
    stallSenders(count: number, { sentBytes = 1_000, isChunked = false } = {}): Socket[] {
      const { hostname, port } = new URL(app.url)
      const framing = isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 262144'
      const size = isChunked ? `${(262_144).toString(16)}\r\n` : ''
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${size}`
      const sent = head + 'x'.repeat(sentBytes)
      return Array.from({ length: count }, () => {
        const socket = connect(Number(port), hostname).on('error', () => {})
        socket.write(sent)
        return socket
      })
    },
    /** The statements about webhooks that the store got meanwhile. */
    async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
      const before = app.statements.length
      await work()
      return app.statements.slice(before).filter(text => text.includes('webhook'))
    },
  }
}

export type WebhookStage = Awaited<ReturnType<typeof startWebhookStage>>

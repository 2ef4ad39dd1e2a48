import { signStandard } from '../../server/clients/webhooks.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { startWebhookStage } from './webhook-stage.ts'

/** Sends a delivery that is refused. */
export type SendRefused = (body: string) => Promise<{ readonly status: number }>

/** A gateway on PostgreSQL, or on SQLite, with deliveries that it refuses for each reason. */
export async function startRefusals(engine: 'SQLite' | 'PostgreSQL') {
  const ROSTRUM_SECRETS_KEY = Buffer.alloc(32, 3).toString('base64')
  const settings = engine === 'SQLite' ? {} : { DATABASE_URL: await createDatabase(), ROSTRUM_SECRETS_KEY }
  const stage = await startWebhookStage(settings)
  const { app, path, secret, send } = stage
  const save = (input: string) =>
    app.graphql(`mutation { saveWebhook(input: {
    functionId: 1, mode: SYNC, ${input} }) { secret } }`)
  const off = await save('name: "off", verification: STANDARD, enabled: false')
  await save('name: "github", verification: GITHUB')
  await save('name: "secret", verification: SECRET, header: "x-secret"')
  await save('name: "rotated", verification: STANDARD')
  await app.graphql('mutation { rotateWebhookSecret(id: 5) { secret } }')
  const own = (body: string) => signStandard({ secret, body })
  const other = (body: string) => signStandard({ secret: 'whsec_AAAA', body })
  const hour = () => Math.floor(Date.now() / 1_000) - 3_600
  const ownOff = (body: string) => signStandard({ secret: off.body.data.saveWebhook.secret, body })
  const to = (
    name: string,
    sign: (body: string) => Record<string, string>,
    account = 'demo',
  ): SendRefused => {
    return body => send(`/api/1/webhook/${account}/${name}`, sign(body), body)
  }
  const kinds: Readonly<Record<string, SendRefused>> = {
    'an unknown webhook': to('nothing', own),
    'an unknown account': to('real', own, 'nobody'),
    'a disabled webhook': to('off', ownOff),
    'a bad signature': body => send(path, other(body), body),
    'an old timestamp': body => send(path, signStandard({ secret, body, timestamp: hour() }), body),
    'no signature': body => send(path, {}, body),
    'a webhook of GitHub': to('github', own),
    'a webhook with a secret': to('secret', own),
    'a webhook with two secrets': to('rotated', own),
  }
  const forgetLookUps = () => app.graphql('mutation { rotateWebhookSecret(id: 5) { secret } }')
  return { ...stage, kinds, forgetLookUps }
}

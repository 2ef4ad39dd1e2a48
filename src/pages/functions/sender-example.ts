import type { Webhook } from './trigger-documents.ts'

const body = `body='{"hello": "world"}'`
// A header may be named with signs that mean something to a shell.
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const send = (url: string, headers: readonly string[]) =>
  [
    `curl ${quote(url)}`,
    "-H 'content-type: application/json'",
    ...headers.map(text => `-H ${text}`),
    '-d "$body"',
  ].join(' \\\n  ')

/** Returns lines for a shell that send one signed message to a webhook, each time under another id. */
export function writeExample({ verification, header }: Webhook, url: string): string {
  const secret = `secret='the secret of this webhook'`
  if (verification === 'SECRET')
    return [secret, body, send(url, [`${quote(`${header ?? 'X-Secret'}: `)}"$secret"`])].join('\n')
  if (verification === 'GITHUB')
    return [
      secret,
      body,
      `signature=$(printf %s "$body" | openssl dgst -sha256 -hmac "$secret" | sed 's/^.*= *//')`,
      send(url, ['"X-GitHub-Delivery: $(openssl rand -hex 8)"', '"X-Hub-Signature-256: sha256=$signature"']),
    ].join('\n')
  return [
    secret,
    body,
    'id=msg_$(openssl rand -hex 8); time=$(date +%s)',
    `key=$(printf %s "$secret" | sed 's/^whsec_//' | base64 -d | od -An -v -tx1 | tr -d ' \\n')`,
    'signature=$(printf %s "$id.$time.$body" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$key -binary | base64)',
    send(url, ['"webhook-id: $id"', '"webhook-timestamp: $time"', '"webhook-signature: v1,$signature"']),
  ].join('\n')
}

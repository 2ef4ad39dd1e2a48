import type { FirstStart } from '../domain/directory/first-start.ts'

interface Banner {
  readonly url: string
  readonly firstStart: FirstStart
  readonly write: (text: string) => void
}

/** Says where the gateway is and, on an empty store, shows the token once and two lines to paste (contract, section 5). */
export function writeBanner({ url, firstStart, write }: Banner): void {
  const { createdToken, createdAccount } = firstStart
  write(`Rostrum serves on ${url} (GraphiQL: ${url}/graphql)\n`)
  if (!createdAccount) return
  const token = createdToken ?? '$ROSTRUM_ADMIN_TOKEN'
  const created = 'The store was empty, so Rostrum created the account `demo`'
  const introduction =
    createdToken === null
      ? `${created}, with ROSTRUM_ADMIN_TOKEN as its admin token.`
      : `${created}. Its admin token, shown only once:\n\n  ${token}`
  const curl = (path: string, rest: string) =>
    `curl ${url}${path} -H "Authorization: Bearer ${token}" ${rest}`
  write(`
${introduction}

Add a membership:

  ${curl('/platform/team_memberships', addMembership)}

Run a script:

  ${curl('/api/1/endpoint/execute', runScript)}

`)
}

// No value holds a quote that its own quotes could not take, so that both lines can be pasted into any shell.
const addMembership = `-H 'Content-Type: application/json' -d '{"team_membership":{"user_id":7,"team_id":3}}'`

// A form: the script stands there as a person writes it, without the escapes of JSON.
const runScript = [
  'name=double',
  `'sourceCode=exit({ total: payload.total * 2 })'`,
  `'inputDocument={"total": 3}'`,
  `'options={}'`,
]
  .map(field => `--data-urlencode ${field}`)
  .join(' ')

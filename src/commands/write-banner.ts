import type { FirstStart } from '../domain/directory/first-start.ts'

interface Banner {
  readonly url: string
  readonly firstStart: FirstStart
  readonly write: (text: string) => void
}

/** Prints the gateway's address and, for an empty store, the token and two lines to paste (contract, section 5). */
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

// The shell quotes are safe in any shell, because the values contain no single quotes.
const addMembership = `-H 'Content-Type: application/json' -d '{"team_membership":{"user_id":7,"team_id":3}}'`

// Sends the script as a form, because a form needs no JSON escapes.
const runScript = [
  'name=double',
  `'sourceCode=exit({ total: payload.total * 2 })'`,
  `'inputDocument={"total": 3}'`,
  `'options={}'`,
]
  .map(field => `--data-urlencode ${field}`)
  .join(' ')

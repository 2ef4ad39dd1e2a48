import type { FirstStart } from '../domain/first-start.ts'

interface Banner {
  readonly url: string
  readonly firstStart: FirstStart
  readonly write: (text: string) => void
}

/** Tells a person where the gateway is and, on an empty store, the token once and two lines to paste (contract, section 5). */
export function writeBanner({ url, firstStart, write }: Banner): void {
  const { createdToken, createdAccount } = firstStart
  write(`Rostrum serves on ${url} (GraphiQL: ${url}/graphql)\n`)
  if (!createdAccount) return
  const token = createdToken ?? '$ROSTRUM_ADMIN_TOKEN'
  const introduction =
    createdToken === null
      ? 'The store was empty, so the account `demo` was made, with ROSTRUM_ADMIN_TOKEN as its admin token.'
      : `The store was empty, so the account \`demo\` was made. Its admin token, shown this once:\n\n  ${token}`
  write(`
${introduction}

Add a membership:

  ${curl({ url: `${url}/platform/team_memberships`, token, body: { team_membership: { user_id: 7, team_id: 3 } } })}

Run a script:

  ${curl({
    url: `${url}/api/1/endpoint/execute`,
    token,
    body: {
      name: 'double',
      sourceCode: 'log("total", payload.total)\nexit({ total: payload.total * 2 })',
      inputDocument: { total: 3 },
      options: {},
    },
  })}

`)
}

interface Call {
  readonly url: string
  readonly token: string
  readonly body: unknown
}

// No value here holds a quote that its own quotes could not take, so that the line can be pasted into any shell.
function curl({ url, token, body }: Call): string {
  return `curl -s ${url} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

interface Banner {
  readonly url: string
  readonly firstToken: string | null
}

/** Tells a person where the gateway is and, on an empty store, the token once and two lines to paste (contract, section 5). */
export function writeBanner({ url, firstToken }: Banner): void {
  process.stdout.write(`Rostrum serves on ${url} (GraphiQL: ${url}/graphql)\n`)
  if (firstToken === null) return
  process.stdout.write(`
The store was empty, so the account \`demo\` was made. Its admin token, shown this once:

  ${firstToken}

Add a membership:

  ${curl({ url: `${url}/platform/team_memberships`, token: firstToken, body: { team_membership: { user_id: 7, team_id: 3 } } })}

Run a script:

  ${curl({
    url: `${url}/api/1/endpoint/execute`,
    token: firstToken,
    body: {
      name: 'double',
      sourceCode: 'exit({ total: payload.total * 2 })',
      inputDocument: '{"total":3}',
      options: '{}',
    },
  })}

`)
}

interface Call {
  readonly url: string
  readonly token: string
  readonly body: unknown
}

// No value here holds a single quote, so that the line can be pasted into any shell.
function curl({ url, token, body }: Call): string {
  return `curl -s ${url} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

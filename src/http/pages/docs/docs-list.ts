/** What readers want, each with the pages of `docs/` that help. A test compares it with the README's table. */
export const docsGroups = [
  { wants: 'try it in five minutes', pages: ['quickstart'] },
  { wants: 'write scripts', pages: ['scripts', 'cli', 'follow-runs'] },
  { wants: 'keep scripts and run them by name', pages: ['functions'] },
  { wants: 'run on events', pages: ['webhooks', 'webhook-senders', 'durable-work'] },
  { wants: 'manage teams', pages: ['memberships', 'events'] },
  { wants: 'keep cases, check and change them by scripts', pages: ['cases', 'hooks-and-tasks'] },
  { wants: 'call it from a program', pages: ['graphql', 'rest', 'idempotency'] },
  { wants: 'give access, generate clients', pages: ['tokens', 'openapi'] },
  { wants: 'put it into production', pages: ['deploy', 'settings', 'operate'] },
  { wants: 'know how it behaves', pages: ['security', 'performance', 'traces'] },
  { wants: 'change it', pages: ['contributing'] },
] as const satisfies readonly { readonly wants: string; readonly pages: readonly string[] }[]

/** The pages of `docs/`, in reading order. */
export const docsPages: readonly string[] = docsGroups.flatMap(({ pages }): readonly string[] => pages)

const docsFolder = new URL('../../../../docs/', import.meta.url)

/** Returns the file of a page. An installation may have no `docs/` folder. */
export function fileOfDocsPage(name: string): URL {
  return new URL(`${name}.md`, docsFolder)
}

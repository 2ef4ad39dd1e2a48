import type { Command } from './frame/command.ts'

interface ListedCommand {
  readonly summary: string
  readonly load: () => Promise<{ readonly command: Command }>
}

/** The commands, in the order of the usage. */
export const commands: Readonly<Record<string, ListedCommand>> = {
  run: {
    summary: 'runs a script file in the sandbox and prints its result',
    load: () => import('./run/run-command.ts'),
  },
  test: {
    summary: 'runs cases: scripts with an input and what they must end with',
    load: () => import('./cases/test-command.ts'),
  },
  pull: {
    summary: 'writes the live functions of a gateway to files',
    load: () => import('./sync/pull-command.ts'),
  },
  push: {
    summary: 'saves changed files as new live versions',
    load: () => import('./sync/push-command.ts'),
  },
  logs: {
    summary: 'prints kept runs with their logs, and follows new ones',
    load: () => import('./runs/logs-command.ts'),
  },
  types: {
    summary: 'prints the types of the script API, rostrum.d.ts',
    load: async () => ({ command: (await import('./print/print-commands.ts')).types }),
  },
  openapi: {
    summary: 'prints the OpenAPI document of the REST side',
    load: async () => ({ command: (await import('./print/print-commands.ts')).openapi }),
  },
  schema: {
    summary: 'prints the GraphQL schema',
    load: async () => ({ command: (await import('./print/print-commands.ts')).schema }),
  },
  login: {
    summary: 'keeps a token for a gateway',
    load: () => import('./account/login-command.ts'),
  },
  logout: {
    summary: 'forgets a token',
    load: () => import('./account/logout-command.ts'),
  },
  backup: {
    summary: 'copies the SQLite store while a gateway serves it',
    load: () => import('./account/backup-command.ts'),
  },
}

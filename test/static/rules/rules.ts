import { argumentsOf } from './source-files.ts'

/** What code must not do, except in the named files, each for its reason. */
export interface Rule {
  readonly title: string
  /** The places of a text that the rule is about. */
  readonly find: (code: string) => readonly string[]
  readonly allowed: Readonly<Record<string, string>>
  /** Code that it must catch, in each of the ways there are. */
  readonly caught: readonly string[]
  /** Code that looks like it and is none of its business. */
  readonly passed?: readonly string[]
}

const matching = (pattern: RegExp) => (code: string) => code.match(pattern) ?? []

const secretNames = /header(?!sSent)|\btokens?\b|authorization|secret|password|databaseUrl/i

const credentials: readonly Rule[] = [
  {
    title: 'one place reads the credential of a request',
    find: matching(/\bauthorization\b|\bcookies?\b|\brawHeaders\b/gi),
    allowed: {
      'http/edge/connection.ts': 'counts the bytes of a head',
      'http/request/authenticate-request.ts': 'reads it',
      'domain/webhooks/credential-headers.ts': 'refuses to show it to a function',
      'http/edge/refuse-head.ts': 'counts the bytes of all headers, and those of one name',
      'credentials/read-bearer.ts': 'says in a refusal what the header must be',
      'scripts/input/script-options.ts': 'gives a script the token of its run',
      'pages/graphiql/start-graphiql.ts': 'sends the token of the tab, in a browser',
      'http/pages/viewer/start-viewer.js': 'sends the token of the tab, in a browser',
      'cli/gateway/gateway-client.ts': 'sends the token of its user',
      'commands/write-banner.ts': 'prints lines to paste',
      'pages/gateway/send-request.ts': 'sends the token of the tab, in a browser',
      'sandbox/rostrum.d.ts': 'says that a script has the token of its run',
    },
    caught: ["headers['authorization']", 'const { authorization } = request.headers', "get('Authorization')"],
  },
  {
    title: 'only the authentication and the tokens of runs know what a bearer is',
    find: code => code.replace(/^import .*$/gm, '').match(/\bbearer\b/gi) ?? [],
    allowed: {
      'credentials/read-bearer.ts': 'takes the token out of the header',
      'scripts/input/script-options.ts': 'gives a script the token of its run',
      'http/errors/error-headers.ts': 'challenges',
      'pages/graphiql/start-graphiql.ts': 'sends the token of the tab, in a browser',
      'commands/write-banner.ts': 'prints lines to paste',
      'pages/gateway/send-request.ts': 'sends the token of the tab, in a browser',
      'cli/gateway/gateway-client.ts': 'sends the token of its user',
      'http/pages/viewer/start-viewer.js': 'sends the token of the tab, in a browser',
      'openapi/print-document.ts': 'names the scheme in the document',
    },
    caught: ['/^Bearer (.*)$/.exec(text)', "text.startsWith('bearer ')"],
    passed: ["import { readBearer } from './read-bearer.ts'"],
  },
  {
    title: 'the headers of a request are handed on whole to nobody',
    find: matching(/\.\.\.\(?\w+\.headers\b|\bheaders[:=]\s*\w+\.headers\b(?![.[])/g),
    allowed: {},
    caught: ['{ ...raw.headers }', '{ ...(raw.headers as X), accept }', 'f({ headers: request.headers })'],
    passed: ["{ accept: raw.headers['accept'] }", 'const { url, headers } = request'],
  },
  {
    title: 'nobody logs headers, tokens or secrets',
    find: code =>
      argumentsOf(code, /\b(?:log|logger|system|console)\.(?:trace|debug|info|warn|error|fatal|log)/).filter(
        given => secretNames.test(given) || /[{,]\s*config\s*[,}]|process\.env/i.test(given),
      ),
    allowed: {},
    caught: [
      "log.info({ headers: request.headers }, 'x')",
      'console.log(token)',
      "scope.log.error({ config }, 'x')",
    ],
    passed: ["log.info({ tokenCount: 1, sent: reply.headersSent }, 'x')"],
  },
]

const rooms: readonly Rule[] = [
  {
    title: 'the environment is read where the commands start, and a child gets its own where it starts',
    find: matching(
      /\bprocess\??\.env\b(?!\.PATH\b)|\bprocess\[|from 'node:process'|\{[^}]*\benv\b[^}]*\} = process/g,
    ),
    allowed: {
      'main.ts': 'hands it to the command',
      'cli/run/scratch-gateway.ts': 'keeps local runs from the proxy for which Node reads it',
      'sandbox/boot.mjs': 'removes what a sandbox must not have',
    },
    caught: [
      'process.env.HOME',
      'const { env } = process',
      "import { env } from 'node:process'",
      "process['env']",
    ],
    passed: ['process.env.PATH'],
  },
  {
    title: 'only `scripts` starts processes, in three files',
    find: matching(/\bchild_process\b|\bnode:cluster\b|\bworker_threads\b/g),
    allowed: {
      'scripts/launch/start-child.ts': 'starts sandboxes, and what ends them when the gateway has died',
      'scripts/launch/confinement.ts': 'tries what confines them',
      'scripts/launch/held-lines.ts': 'makes the pipes of sandboxes',
      'http/graphql/graphiql-page.ts': 'starts a thread, which renders the page',
      'http/graphql/render-graphiql-page.ts': 'posts the page from its thread',
      'http/pages/register-pages.ts': 'starts a thread, which builds the pages',
      'http/pages/build-site.ts': 'posts the pages from its thread',
    },
    caught: [
      "import { spawn } from 'node:child_process'",
      "require('child_process')",
      "from 'node:worker_threads'",
    ],
  },
  {
    title: 'every process is started with an environment of its own',
    find: code =>
      argumentsOf(code, /(?<![#.\w])(?:spawn|spawnSync|fork|exec|execSync|execFile|execFileSync)/).filter(
        given => !/\benv\b/.test(given),
      ),
    allowed: {},
    caught: ["spawn('sh', ['-c', 'x'])", "execFile('sh', { stdio: 'ignore' })"],
    passed: ['spawn(file, args, { env, detached: true })', 'this.#spawn()', 'pattern.exec(text)'],
  },
  {
    title: 'text becomes code in the isolate alone',
    find: matching(
      /\beval\(|\bnew \w*Function\b|(?<![\w.])Function\(|\bnode:(?:vm|inspector|repl)\b|\.constructor as\b/g,
    ),
    allowed: {
      'sandbox/realm/language.ts': 'takes the realm’s own AsyncFunction',
      'sandbox/realm/run-script.ts': 'compiles the script with it',
      'v8/collect-garbage.ts': 'takes one function of V8’s from a new context',
    },
    caught: [
      'eval(text)',
      'new Function(text)',
      'new AsyncFunction(text)',
      "from 'node:vm'",
      "Function('return 1')",
    ],
    passed: ['typeof value === "function"', 'isFunction(x)'],
  },
  {
    title: 'files are for the store, the docs, and what a sandbox is made of and measured by',
    find: matching(/['"](?:node:)?fs(?:\/promises)?['"]/g),
    allowed: {
      'start.mjs': 'looks whether the packages are installed',
      'version.ts': 'reads the version of the package',
      'http/edge/fit-open-files.ts': 'reads how many files the process may open',
      'http/pages/viewer/register-viewer.ts': 'reads the viewer of the API',
      'store/sqlite/connection/file-checks.ts': 'looks at the database file before it is opened',
      'store/sqlite/key-file.ts': 'keeps the key for secrets beside the database file',
      'store/sqlite/connection/serve-lock.ts': 'keeps a second services from the same file',
      'store/sqlite/connection/watch-file.ts': 'sees that the database file is no longer at its path',
      'scripts/launch/sandbox-modules.ts': 'reads the modules of the sandbox',
      'scripts/launch/strip-cached.ts': 'keeps the stripped modules beside the compile cache',
      'tracing/otlp/trace-settings.ts': 'looks whether the certificates of the collector can be read',
      'http/graphql/render-graphiql-page.ts':
        'reads what runs in a browser, in the thread that renders the page',
      'http/pages/docs/build-docs.ts': 'reads the pages of the docs, in the thread that renders them',
      'http/pages/docs/register-docs.ts': 'reads the pages of the docs, once and by fixed names',
      'http/pages/build-site.ts': 'reads the style sheet and the icon of the pages',
      'http/pages/walk-modules.ts': 'reads the modules of the pages, by their imports',
      'http/pages/resolve-package.ts': 'reads what packages export',
      'http/pages/type-files.ts': 'reads TypeScript for the browser',
      'scripts/resources/child-resources.ts': 'reads what a child uses',
      'scripts/resources/child-priority.ts': 'sets whom the kernel ends first',
      'scripts/launch/confinement.ts': 'looks for commands',
      'scripts/launch/held-lines.ts': 'opens pipes, whose names are gone at once',
      'sandbox/boot.mjs': 'reads standard input and no file',
      'sandbox/channel.ts': 'writes standard output and no file',
    },
    caught: ["from 'node:fs'", "from 'node:fs/promises'", "require('fs')"],
  },
  {
    title: 'only `tasks` calls out, through one client',
    find: matching(/['"]undici['"]|(?<![\w.#])fetch\((?!\{ \.\.\.page)|\bnode:(?:https|http2|tls|dgram)\b/g),
    allowed: {
      'cli/gateway/gateway-client.ts': 'calls a gateway for its user',
      'scripts/outbound/outbound-connection.ts': 'connects',
      'scripts/outbound/read-outbound-answer.ts': 'reads',
      'pages/docs/search-index.ts': 'loads the texts of the docs, in a browser',
      'pages/gateway/send-request.ts': 'calls the gateway that served the page, in a browser',
      'pages/playground/types/types-worker.ts': 'loads the types that it checks with, in a browser',
    },
    caught: ["from 'undici'", 'await fetch(url)', "from 'node:https'"],
    passed: ['yoga.fetch(request)'],
  },
  {
    title: 'SQL is written in the store alone',
    find: code =>
      code.match(
        /\bsql`|\b(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA)\b/g,
      ) ?? [],
    allowed: {},
    caught: ['sql`select 1`', "'SELECT id FROM users'", "'DELETE FROM users'"],
    passed: ['a select of fields from a list'],
  },
  {
    title: 'nothing secret is left to `Math.random`',
    find: matching(/\bMath\.random\b/g),
    allowed: {},
    caught: ['Math.random().toString(36)'],
  },
]

export const rules: readonly Rule[] = [...credentials, ...rooms]

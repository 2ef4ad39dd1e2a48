import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { StartError } from './errors.ts'
import { showControls } from './show-controls.ts'

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine(n => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)

const processors = availableParallelism()

const host = z
  .string()
  .regex(
    /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i,
    'must be `host` or `host:port`, such as `[::1]:8080`, separated by commas',
  )
  .refine(text => URL.canParse(`http://${text}`), 'has a host or port that does not exist')
  .transform(text => text.toLowerCase())

const list = z.string().transform(text =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== ''),
)

const hosts = list.pipe(z.array(host))

const retryTimes = z
  .string()
  .regex(
    /^\d{1,9}(,\d{1,9}){6}$/,
    'must be seven whole numbers from 0 to 999999999, separated by commas without spaces',
  )
  .transform(text => text.split(',').map(Number))

const bytes = (max: number) => whole(1, max)

/** The maximum number of requests of each credential in a number of seconds. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

const rateRule = 'must be requests and seconds, such as `1000/60`: both whole numbers from 1 to 1000000'
const rateLimit = z
  .string()
  .regex(/^[1-9]\d{0,6}\/[1-9]\d{0,6}$/, rateRule)
  .transform((text): RateLimit => {
    const [requests = 1, seconds = 1] = text.split('/').map(Number)
    return { requests, seconds }
  })
  .refine(({ requests, seconds }) => Math.max(requests, seconds) <= 1_000_000, rateRule)

const proxies = list.refine(
  parts => parts.every(part => isIP(part) !== 0 || ipaddr.isValidCIDR(part)),
  'must be addresses or networks, such as `10.0.0.0/8`, separated by commas',
)

const keyRule = 'must be 32 bytes in base64 or hex, such as `openssl rand -base64 32` prints'
const secretsKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map(part => readSecretsKey(part.trim()))
  if (keys.includes(null)) context.addIssue(`${keyRule}, or several of them separated by commas`)
  return keys.filter(key => key !== null)
})

/** A setting: the environment variable, and the rule that reads it. */
interface Setting<Value> {
  readonly variable: string
  readonly rule: z.ZodType<Value>
}

function setting<Value>(variable: string, rule: z.ZodType<Value>): Setting<Value> {
  return { variable, rule }
}

interface Settings {
  readonly [name: string]: Setting<unknown> | Settings
}

type Values<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : Values<Table[Name]>
}

/** The most bytes of a body that a gateway can be set to take. */
export const largestBodyBytes = 256 * 2 ** 20

const bodyBytes = setting('ROSTRUM_BODY_BYTES', bytes(largestBodyBytes).default(2 * 2 ** 20))

const adminToken = z
  .string()
  .regex(/^[\x21-\x7e]{16,512}$/, 'must have 16 to 512 visible ASCII characters, without spaces')
const jwtSecret = z.string().min(16, 'must have 16 characters or more (32 for full strength)')
const jwksUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

const address = z
  .string()
  .regex(/^\S+$/, 'must be an address without spaces')
  .regex(/^[^[\]]+$/, 'must be an address without brackets, such as `::1`')

// One row for each setting: where the gateway reads it, its variable and its rule. A test compares the names and
// defaults with the table in `docs/settings.md`.
const settings = {
  host: setting('HOST', address.default('127.0.0.1')),
  port: setting('PORT', whole(0, 65_535).default(4000)),
  databaseUrl: setting(
    'DATABASE_URL',
    z
      .string()
      .regex(
        /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
        'must be `sqlite:<path>` or `postgres://…`, without a line end',
      )
      .default('sqlite:data/rostrum.db'),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
        error: 'must be one of trace, debug, info, warn, error, fatal, silent',
      })
      .default('info'),
  ),
  /** How many requests each credential may send; null without a limit. */
  rateLimit: setting('ROSTRUM_RATE_LIMIT', rateLimit.nullable().default(null)),
  trustedProxies: setting('ROSTRUM_TRUSTED_PROXIES', proxies.default([])),
  /** Null leaves it to whether standard output is a terminal. */
  logFormat: setting(
    'LOG_FORMAT',
    z.enum(['pretty', 'json'], { error: 'must be `pretty` or `json`' }).nullable().default(null),
  ),
  /** The port of the metrics; null serves them beside everything else, for a credential. */
  metricsPort: setting('ROSTRUM_METRICS_PORT', whole(0, 65_535).nullable().default(null)),
  adminToken: setting('ROSTRUM_ADMIN_TOKEN', adminToken.nullable().default(null)),
  jwtSecret: setting('ROSTRUM_JWT_SECRET', jwtSecret.nullable().default(null)),
  jwksUrl: setting('ROSTRUM_JWKS_URL', jwksUrl.nullable().default(null)),
  sandboxes: {
    max: setting('ROSTRUM_SANDBOXES', whole(1, 1024).default(4 * processors)),
    /** Number of sandboxes kept ready, at most `max`. */
    warm: setting('ROSTRUM_WARM_SANDBOXES', whole(1, 1024).default(processors)),
    isolation: setting(
      'ROSTRUM_ISOLATION',
      z.enum(['run', 'account'], { error: 'must be `run` or `account`' }).default('run'),
    ),
    jit: setting(
      'ROSTRUM_JIT',
      z
        .enum(['0', '1', 'false', 'true'], { error: 'must be 0 or 1' })
        .transform(text => text === '1' || text === 'true')
        .default(false),
    ),
  },
  bodyBytes,
  runLimits: {
    /** Time of the whole run, waiting included. */
    timeoutMs: setting('ROSTRUM_TASK_TIMEOUT_MS', whole(10, 3_600_000).default(10_000)),
    cpuMs: setting('ROSTRUM_TASK_CPU_MS', whole(10, 3_600_000).default(1_000)),
    memoryMb: setting('ROSTRUM_TASK_MEMORY_MB', whole(8, 4_096).default(64)),
    sourceBytes: setting('ROSTRUM_TASK_SOURCE_BYTES', bytes(16 * 2 ** 20).default(256 * 2 ** 10)),
    // The shortest result of a script that returns nothing, and of a compilation, is `null`.
    resultBytes: setting('ROSTRUM_TASK_RESULT_BYTES', whole(4, 64 * 2 ** 20).default(2 * 2 ** 20)),
    logEntries: setting('ROSTRUM_TASK_LOG_ENTRIES', whole(1, 100_000).default(1_000)),
    logBytes: setting('ROSTRUM_TASK_LOG_BYTES', bytes(16 * 2 ** 20).default(256 * 2 ** 10)),
    graphqlCalls: setting('ROSTRUM_TASK_GRAPHQL_CALLS', whole(0, 100_000).default(100)),
    graphqlCallsAtOnce: setting('ROSTRUM_TASK_GRAPHQL_AT_ONCE', whole(1, 1_000).default(10)),
    /** Query, variables and url of one call: the same as a request body. */
    graphqlCallBytes: bodyBytes,
    graphqlAnswerBytes: setting('ROSTRUM_TASK_GRAPHQL_BYTES', bytes(64 * 2 ** 20).default(2 * 2 ** 20)),
    /** Levels of nested runs, the first included. */
    depth: setting('ROSTRUM_TASK_DEPTH', whole(1, 16).default(3)),
  },
  scriptLogBytes: setting('ROSTRUM_SCRIPT_LOG_BYTES', bytes(Number.MAX_SAFE_INTEGER).default(2 ** 20)),
  // A request takes a place in the queue while its body is read, so without one no run would begin.
  queue: {
    runs: setting('ROSTRUM_QUEUE_RUNS', whole(1, 100_000).default(256)),
    accountRuns: setting('ROSTRUM_QUEUE_ACCOUNT_RUNS', whole(1, 100_000).default(64)),
    waitMs: setting('ROSTRUM_QUEUE_WAIT_MS', whole(1, 600_000).default(2_000)),
  },
  /** Maximum requests of one account that run or wait. */
  accountRequests: setting('ROSTRUM_ACCOUNT_REQUESTS', whole(1, 1_000_000).default(1_000)),
  /** Bytes that the idempotency keys of one account may take for their 24 hours. */
  accountKeyBytes: setting('ROSTRUM_ACCOUNT_KEY_BYTES', bytes(2 ** 40).default(128 * 2 ** 20)),
  /** How long runs and their inputs are kept, and how many runs of one account. */
  runRetention: {
    days: setting('ROSTRUM_RUN_DAYS', whole(1, 3_650).default(30)),
    count: setting('ROSTRUM_RUN_COUNT', whole(0, 100_000_000).default(100_000)),
    bytes: setting('ROSTRUM_RUN_BYTES', whole(0, Number.MAX_SAFE_INTEGER).default(2 ** 30)),
    inputDays: setting('ROSTRUM_RUN_INPUT_DAYS', whole(0, 3_650).default(7)),
  },
  /** Time for which events are kept; null without an end. */
  eventMs: setting(
    'ROSTRUM_EVENT_DAYS',
    whole(0, 36_500)
      .default(0)
      .transform(days => (days === 0 ? null : days * 86_400_000)),
  ),
  queuedRuns: {
    /** The times until the next attempt of a queued run, after each failed one. */
    retryMs: setting(
      'ROSTRUM_RETRY_MS',
      retryTimes.default([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]),
    ),
    /** How long a gateway keeps a queued run without renewing it. */
    leaseMs: setting('ROSTRUM_QUEUE_LEASE_MS', whole(100, 600_000).default(15_000)),
  },
  /** Maximum bytes of one account in the store. */
  storeLimits: {
    accountBytes: setting(
      'ROSTRUM_ACCOUNT_STORE_BYTES',
      whole(0, Number.MAX_SAFE_INTEGER)
        .default(10 * 2 ** 30)
        .transform(max => max || Number.MAX_SAFE_INTEGER),
    ),
    queueBytes: setting('ROSTRUM_QUEUE_BYTES', whole(1, Number.MAX_SAFE_INTEGER).default(256 * 2 ** 20)),
  },
  /** Hosts that `graphql(…, url)` may reach, as `host` or `host:port`, in lower case. */
  graphqlHosts: setting('ROSTRUM_GRAPHQL_HOSTS', hosts.default([])),
  /** Keys for secrets. The first one encrypts. */
  secretsKeys: setting('ROSTRUM_SECRETS_KEY', secretsKeys.default([])),
  /** Maximum of the body of a webhook. */
  webhookBytes: setting('ROSTRUM_WEBHOOK_BYTES', bytes(largestBodyBytes).default(256 * 2 ** 10)),
} satisfies Settings

/** A key for secrets: 32 bytes as hex, base64 or base64url. Null for any other text. */
export function readSecretsKey(text: string): Buffer | null {
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}

/** What the gateway reads from the settings. */
export type Config = Values<typeof settings>

/**
 * The limits of one run (contract, "Limits"). Every part from here to the isolate receives all of them, so a new limit
 * is one row in the settings above.
 */
export type RunLimits = Config['runLimits']

export const settingNames = [...new Set(listVariables(settings))]

function listVariables(table: Settings): string[] {
  return Object.values(table).flatMap(row => (isSetting(row) ? row.variable : listVariables(row)))
}

function isSetting(row: Setting<unknown> | Settings): row is Setting<unknown> {
  return 'variable' in row && typeof row.variable === 'string'
}

/** The variables of an environment, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. Throws a `StartError` that names a bad value. An empty value counts as unset. */
export function readConfig(environment: Environment): Config {
  const config = readSettings(settings, environment)
  const { max, warm } = config.sandboxes
  return Object.freeze({ ...config, sandboxes: { ...config.sandboxes, warm: Math.min(warm, max) } })
}

function readSettings<Table extends Settings>(table: Table, environment: Environment): Values<Table> {
  const values = Object.entries(table).map(([name, row]) => [
    name,
    isSetting(row) ? readSetting(row, environment) : readSettings(row, environment),
  ])
  return Object.fromEntries(values) as Values<Table>
}

// Does not repeat a secret's value, because the message may be logged. Shows control characters of the others: files
// of another system leave a carriage return at the end.
function readSetting({ variable, rule }: Setting<unknown>, environment: Environment): unknown {
  const given = environment[variable] || undefined
  const { data, error } = rule.safeParse(given)
  if (error === undefined) return data
  const shown = /TOKEN|SECRET|DATABASE_URL/.test(variable) ? '' : `; it is \`${showControls(String(given))}\``
  throw new StartError(`The setting ${variable} ${error.issues[0]?.message}${shown}.`)
}

// The command line reads these.
const commandLineVariables = ['ROSTRUM_URL', 'ROSTRUM_TOKEN']

/** Names of `ROSTRUM_` variables that are not settings. They are probably misspelt, so the start warns about them. */
export function unknownSettings(environment: Environment): string[] {
  const known = [...settingNames, ...commandLineVariables]
  return Object.keys(environment).filter(name => name.startsWith('ROSTRUM_') && !known.includes(name))
}

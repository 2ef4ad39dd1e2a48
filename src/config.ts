import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { StartError } from './errors.ts'

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine(n => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)

const processors = availableParallelism()

const host = z
  .string()
  .regex(/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i, 'must be `host` or `host:port`, separated by commas')
  .refine(text => URL.canParse(`http://${text}`), 'has a host or port that does not exist')
  .transform(text => text.toLowerCase())

const hosts = z
  .string()
  .transform(text =>
    text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  )
  .pipe(z.array(host))

const retryTimes = z
  .string()
  .regex(/^\d{1,9}(,\d{1,9}){6}$/, 'must be seven whole numbers, separated by commas')
  .transform(text => text.split(',').map(Number))

const bytes = (max: number) => whole(1, max)

const keyRule = 'must be 32 bytes in base64 or hex, such as `openssl rand -base64 32` prints'
const secretsKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map(part => readSecretsKey(part.trim()))
  if (keys.includes(null)) context.addIssue(`${keyRule}, or several of them separated by commas`)
  return keys.filter(key => key !== null)
})

// One row for each setting: its rule. A test compares the names and defaults with the table in `docs/settings.md`.
const settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(4000),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be `sqlite:<path>` or `postgres://…`')
    .default('sqlite:data/rostrum.db'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
  ROSTRUM_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,512}$/, 'must have 16 to 512 characters, without spaces')
    .optional(),
  ROSTRUM_JWT_SECRET: z.string().min(16, 'must have 16 characters or more (32 for full strength)').optional(),
  ROSTRUM_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  ROSTRUM_SANDBOXES: whole(1, 1024).default(4 * processors),
  ROSTRUM_WARM_SANDBOXES: whole(1, 1024).default(processors),
  ROSTRUM_ISOLATION: z.enum(['run', 'account'], { error: 'must be `run` or `account`' }).default('run'),
  ROSTRUM_JIT: z
    .enum(['0', '1', 'false', 'true'], { error: 'must be 0 or 1' })
    .transform(text => text === '1' || text === 'true')
    .default(false),
  ROSTRUM_TASK_TIMEOUT_MS: whole(10, 3_600_000).default(10_000),
  ROSTRUM_TASK_CPU_MS: whole(10, 3_600_000).default(1_000),
  ROSTRUM_TASK_MEMORY_MB: whole(8, 4_096).default(64),
  ROSTRUM_TASK_SOURCE_BYTES: bytes(16 * 2 ** 20).default(256 * 2 ** 10),
  ROSTRUM_TASK_RESULT_BYTES: bytes(64 * 2 ** 20).default(2 * 2 ** 20),
  ROSTRUM_TASK_LOG_ENTRIES: whole(1, 100_000).default(1_000),
  ROSTRUM_TASK_LOG_BYTES: bytes(16 * 2 ** 20).default(256 * 2 ** 10),
  ROSTRUM_SCRIPT_LOG_BYTES: bytes(Number.MAX_SAFE_INTEGER).default(2 ** 20),
  ROSTRUM_TASK_GRAPHQL_CALLS: whole(0, 100_000).default(100),
  ROSTRUM_TASK_GRAPHQL_AT_ONCE: whole(1, 1_000).default(10),
  ROSTRUM_TASK_GRAPHQL_BYTES: bytes(64 * 2 ** 20).default(2 * 2 ** 20),
  ROSTRUM_TASK_DEPTH: whole(1, 16).default(3),
  ROSTRUM_QUEUE_RUNS: whole(0, 100_000).default(256),
  ROSTRUM_QUEUE_ACCOUNT_RUNS: whole(0, 100_000).default(64),
  ROSTRUM_QUEUE_WAIT_MS: whole(1, 600_000).default(2_000),
  ROSTRUM_ACCOUNT_REQUESTS: whole(1, 1_000_000).default(1_000),
  ROSTRUM_ACCOUNT_KEY_BYTES: bytes(2 ** 40).default(128 * 2 ** 20),
  ROSTRUM_BODY_BYTES: bytes(256 * 2 ** 20).default(2 * 2 ** 20),
  ROSTRUM_RUN_DAYS: whole(1, 3_650).default(30),
  ROSTRUM_RUN_COUNT: whole(0, 100_000_000).default(100_000),
  ROSTRUM_RUN_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(2 ** 30),
  ROSTRUM_RUN_INPUT_DAYS: whole(0, 3_650).default(7),
  ROSTRUM_EVENT_DAYS: whole(0, 36_500).default(0),
  ROSTRUM_RETRY_MS: retryTimes.default([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]),
  ROSTRUM_QUEUE_LEASE_MS: whole(100, 600_000).default(15_000),
  ROSTRUM_ACCOUNT_STORE_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(10 * 2 ** 30),
  ROSTRUM_QUEUE_BYTES: whole(1, Number.MAX_SAFE_INTEGER).default(256 * 2 ** 20),
  ROSTRUM_GRAPHQL_HOSTS: hosts.default([]),
  ROSTRUM_SECRETS_KEY: secretsKeys.default([]),
  ROSTRUM_WEBHOOK_BYTES: bytes(256 * 2 ** 20).default(256 * 2 ** 10),
})

/** A key for secrets: 32 bytes as hex, base64 or base64url. Null for any other text. */
export function readSecretsKey(text: string): Buffer | null {
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}

type Settings = z.infer<typeof settings>

export const settingNames = Object.keys(settings.shape)

/**
 * The limits of one run (contract, "Limits"). Every part from here to the isolate receives all of them, so a new limit
 * is one row here and one in the settings above.
 */
export type RunLimits = Readonly<ReturnType<typeof readRunLimits>>

function readRunLimits(s: Settings) {
  return {
    /** Time of the whole run, waiting included. */
    timeoutMs: s.ROSTRUM_TASK_TIMEOUT_MS,
    cpuMs: s.ROSTRUM_TASK_CPU_MS,
    memoryMb: s.ROSTRUM_TASK_MEMORY_MB,
    sourceBytes: s.ROSTRUM_TASK_SOURCE_BYTES,
    resultBytes: s.ROSTRUM_TASK_RESULT_BYTES,
    logEntries: s.ROSTRUM_TASK_LOG_ENTRIES,
    logBytes: s.ROSTRUM_TASK_LOG_BYTES,
    graphqlCalls: s.ROSTRUM_TASK_GRAPHQL_CALLS,
    graphqlCallsAtOnce: s.ROSTRUM_TASK_GRAPHQL_AT_ONCE,
    /** Query, variables and url of one call: the same as a request body. */
    graphqlCallBytes: s.ROSTRUM_BODY_BYTES,
    graphqlAnswerBytes: s.ROSTRUM_TASK_GRAPHQL_BYTES,
    /** Levels of nested runs, the first included. */
    depth: s.ROSTRUM_TASK_DEPTH,
  }
}

/** What the gateway reads from the settings. A new one is a row in `settings` and one in `arrange`. */
export type Config = Readonly<ReturnType<typeof arrange>>

/** Reads the settings. Throws a `StartError` that names a bad value. An empty value counts as unset. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = settings.safeParse(given)
  if (!parsed.success) throw new StartError(describeFirstIssue(parsed.error, given))
  return Object.freeze(arrange(parsed.data))
}

/** Names of `ROSTRUM_` variables that are not settings. They are probably misspelt, so the start warns about them. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter(name => name.startsWith('ROSTRUM_') && !settingNames.includes(name))
}

// Does not repeat a secret's value, because the message may be logged.
function describeFirstIssue(error: z.ZodError, given: Record<string, string | undefined>): string {
  const issue = error.issues[0]
  const name = String(issue?.path[0])
  const shown = /TOKEN|SECRET|DATABASE_URL/.test(name) ? '' : `; it is \`${given[name]}\``
  return `The setting ${name} ${issue?.message}${shown}.`
}

function arrange(s: Settings) {
  return {
    host: s.HOST,
    port: s.PORT,
    databaseUrl: s.DATABASE_URL,
    logLevel: s.LOG_LEVEL,
    adminToken: s.ROSTRUM_ADMIN_TOKEN ?? null,
    jwtSecret: s.ROSTRUM_JWT_SECRET ?? null,
    jwksUrl: s.ROSTRUM_JWKS_URL ?? null,
    bodyBytes: s.ROSTRUM_BODY_BYTES,
    /** Maximum of the body of a webhook. */
    webhookBytes: s.ROSTRUM_WEBHOOK_BYTES,
    scriptLogBytes: s.ROSTRUM_SCRIPT_LOG_BYTES,
    /** Keys for secrets. The first one encrypts. */
    secretsKeys: s.ROSTRUM_SECRETS_KEY,
    /** Maximum requests of one account that run or wait. */
    accountRequests: s.ROSTRUM_ACCOUNT_REQUESTS,
    /** Bytes that the idempotency keys of one account may take for their 24 hours. */
    accountKeyBytes: s.ROSTRUM_ACCOUNT_KEY_BYTES,
    sandboxes: {
      max: s.ROSTRUM_SANDBOXES,
      warm: Math.min(s.ROSTRUM_WARM_SANDBOXES, s.ROSTRUM_SANDBOXES),
      isolation: s.ROSTRUM_ISOLATION,
      jit: s.ROSTRUM_JIT,
    },
    queue: {
      runs: s.ROSTRUM_QUEUE_RUNS,
      accountRuns: s.ROSTRUM_QUEUE_ACCOUNT_RUNS,
      waitMs: s.ROSTRUM_QUEUE_WAIT_MS,
    },
    runLimits: readRunLimits(s),
    /** How long runs and their inputs are kept, and how many runs of one account. */
    runRetention: {
      days: s.ROSTRUM_RUN_DAYS,
      count: s.ROSTRUM_RUN_COUNT,
      bytes: s.ROSTRUM_RUN_BYTES,
      inputDays: s.ROSTRUM_RUN_INPUT_DAYS,
    },
    /** Time for which events are kept; null without an end. */
    eventMs: s.ROSTRUM_EVENT_DAYS === 0 ? null : s.ROSTRUM_EVENT_DAYS * 86_400_000,
    /** Maximum bytes of one account in the store. */
    storeLimits: {
      accountBytes: s.ROSTRUM_ACCOUNT_STORE_BYTES || Number.MAX_SAFE_INTEGER,
      queueBytes: s.ROSTRUM_QUEUE_BYTES,
    },
    queuedRuns: {
      /** The times until the next attempt of a queued run, after each failed one. */
      retryMs: s.ROSTRUM_RETRY_MS,
      /** How long a gateway keeps a queued run without renewing it. */
      leaseMs: s.ROSTRUM_QUEUE_LEASE_MS,
    },
    /** Hosts that `graphql(…, url)` may reach, as `host` or `host:port`, in lower case. */
    graphqlHosts: s.ROSTRUM_GRAPHQL_HOSTS,
  }
}

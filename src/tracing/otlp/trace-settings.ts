import { accessSync, constants, statSync } from 'node:fs'
import { z } from 'zod'
import type { Environment } from '../../config.ts'
import { StartError } from '../../errors.ts'

const protocols = ['http/protobuf', 'http/json'] as const

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const protocol = z.enum(protocols, { error: `must be one of ${protocols.join(', ')}` })
const sampler = z.enum(samplers, { error: `must be one of ${samplers.join(', ')}` })
const ratio = z.coerce
  .number('must be a number from 0 to 1')
  .min(0, 'must be a number from 0 to 1')
  .max(1, 'must be a number from 0 to 1')
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })
const whole = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number up to 999999999')
  .transform(Number)
const positive = whole.refine(value => value > 0, 'must be 1 or more')
const headers = z
  .string()
  .refine(areHeaders, 'must be `name=value,name=value`, with `%20` and the like in the values')

const compression = z.enum(['gzip', 'none'], { error: 'must be gzip or none' })
const file = z.string().refine(isReadable, 'must be the path of a file that this user can read')
const attributes = z
  .string()
  .refine(areAttributes, 'must be `name=value,name=value`, with `%3D` and the like in names and values')

/** What the exporter reads, and would replace by its default or leave out if it is wrong. */
const exporterSettings = {
  ENDPOINT: url,
  HEADERS: headers,
  TIMEOUT: positive,
  COMPRESSION: compression,
  CERTIFICATE: file,
  CLIENT_CERTIFICATE: file,
  CLIENT_KEY: file,
}

const batchSettings = {
  scheduledDelayMillis: { variable: 'OTEL_BSP_SCHEDULE_DELAY', rule: whole },
  exportTimeoutMillis: { variable: 'OTEL_BSP_EXPORT_TIMEOUT', rule: positive },
  maxQueueSize: { variable: 'OTEL_BSP_MAX_QUEUE_SIZE', rule: positive },
  maxExportBatchSize: { variable: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', rule: positive },
}

export interface TraceSettings {
  readonly protocol: (typeof protocols)[number]
  readonly sampler: (typeof samplers)[number]
  readonly ratio: number
  /** The limits of the batches. Those that are absent are the SDK's own. */
  readonly batches: {
    readonly scheduledDelayMillis?: number
    readonly exportTimeoutMillis?: number
    readonly maxQueueSize?: number
    readonly maxExportBatchSize?: number
  }
}

/**
 * Reads the settings of OpenTelemetry that the SDK leaves to its caller. The exporter reads its endpoint, headers,
 * timeout, compression and certificates itself, and the SDK the attributes. They are checked here: the exporter would
 * replace a bad endpoint by `localhost`, and the others would be ignored. Throws a `StartError` that names a wrong
 * value.
 */
export function readTraceSettings(environment: Environment): TraceSettings {
  const read = <Value>(variable: string, rule: z.ZodType<Value>): Value | undefined => {
    const given = environment[variable]?.trim()
    if (!given) return undefined
    const { data, error } = rule.safeParse(given)
    if (error === undefined) return data
    throw new StartError(`The setting ${variable} ${error.issues[0]?.message}.`)
  }
  for (const [name, rule] of Object.entries(exporterSettings)) {
    read<unknown>(`OTEL_EXPORTER_OTLP_${name}`, rule)
    read<unknown>(`OTEL_EXPORTER_OTLP_TRACES_${name}`, rule)
  }
  read('OTEL_RESOURCE_ATTRIBUTES', attributes)
  return {
    protocol:
      read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', protocol) ??
      read('OTEL_EXPORTER_OTLP_PROTOCOL', protocol) ??
      'http/protobuf',
    sampler: read('OTEL_TRACES_SAMPLER', sampler) ?? 'parentbased_always_on',
    ratio: read('OTEL_TRACES_SAMPLER_ARG', ratio) ?? 1,
    batches: Object.fromEntries(
      Object.entries(batchSettings).flatMap(([name, { variable, rule }]) => {
        const value = read(variable, rule)
        return value === undefined ? [] : [[name, value]]
      }),
    ),
  }
}

// A comma may end the list. The names are tokens of HTTP.
function areHeaders(text: string): boolean {
  const isHeader = (part: string) => part.trim() === '' || /^\s*[\w!#$%&'*+.^`|~-]+\s*=/.test(part)
  return text.split(',').every(isHeader)
}

// The SDK drops all attributes if one of them is bad, or longer than this.
const maxAttributeCharacters = 255

function areAttributes(text: string): boolean {
  const parts = text.split(',').filter(part => part.trim() !== '')
  return parts.every(part => {
    const [name = '', value, ...others] = part.split('=').map(side => decode(side.trim()))
    if (name === null || name === '' || value == null || others.length > 0) return false
    return Math.max(name.length, value.length) <= maxAttributeCharacters
  })
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}

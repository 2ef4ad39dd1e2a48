import { pino } from 'pino'
import { expect, test } from 'vitest'
import { StartError } from '../../src/errors.ts'
import { openTracing } from '../../src/tracing/open-tracing.ts'
import type { Tracing } from '../../src/tracing/span.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }

function open(environment: Readonly<Record<string, string>>): Promise<Tracing | null> {
  const log = pino({ level: 'silent' })
  return openTracing({ environment, log, databaseUrl: 'sqlite::memory:', maxEvents: 10 })
}

test.each([
  ['without an endpoint', {}],
  ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['when the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
  ['when no exporter is wanted', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
])('nothing is sent %s', async (_, environment) => {
  expect(await open(environment)).toBe(null)
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'nowhere'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'bad header'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'x-key=abc,=2'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', 'x'],
  ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '0'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zip'],
  ['OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', '/nowhere/ca.pem'],
  ['OTEL_EXPORTER_OTLP_CERTIFICATE', 'test'],
  ['OTEL_EXPORTER_OTLP_CLIENT_KEY', '/nowhere/key.pem'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'region=eu,team=a=b'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'region=%'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'json'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ['OTEL_BSP_SCHEDULE_DELAY', '-1'],
  ['OTEL_BSP_EXPORT_TIMEOUT', '0'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', 'many'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '0'],
])('the bad value %s=%s is refused by its name', async (variable, value) => {
  const opening = open({ ...endpoint, [variable]: value })
  await expect(opening).rejects.toThrow(StartError)
  await expect(opening).rejects.toThrow(`The setting ${variable} must be `)
})

test.each([
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip'],
  ['OTEL_EXPORTER_OTLP_CERTIFICATE', 'package.json'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'region = eu , team=a%3Db,empty=,'],
])('the good value %s=%s is taken', async (variable, value) => {
  expect(await open({ ...endpoint, [variable]: value })).not.toBe(null)
})

test.each([
  ['always_on', true],
  ['always_off', false],
  ['traceidratio', false],
  ['parentbased_always_on', true],
  ['parentbased_always_off', false],
  ['parentbased_traceidratio', false],
])('the sampler %s decides on a trace of the gateway', async (sampler, isSampled) => {
  const tracing = await open({ ...endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0' })
  expect(tracing?.begin('x', 'internal', {}).isSampled).toBe(isSampled)
})

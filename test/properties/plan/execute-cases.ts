import fc from 'fast-check'
import { near } from '../values/mutate-json.ts'
import { wildJson, wildJsonText } from '../values/wild-json.ts'
import { jsonBodies, perhapsDamaged, rarely, type WireBody } from '../wire/wire-bodies.ts'
import { type WireCase, wireCases } from '../wire/wire-case.ts'

// Tiny, and each ends at once: that it runs is enough here.
const script = fc.constantFrom(
  'exit(payload)',
  'exit(options.params)',
  'exit({ payload, changed: options.changed_fields })',
  'exit(requestContext())',
  'fail("no")',
  'fail(options.params)',
  'log(payload, options.params); exit(1)',
  'console.error(payload)',
  'throw payload',
  'exit(undefined)',
  'exit(() => 1)',
  'exit(',
  '',
  '\ud800',
  '// \u2028',
  '1',
)

const jsonText = fc.oneof(
  { weight: 3, arbitrary: wildJson.map(value => JSON.stringify(value)) },
  { weight: 1, arbitrary: wildJsonText },
)

const guid = fc.uuid()
const requestContext = fc.oneof(
  fc.record({ txnID: guid, txnSource: fc.string({ maxLength: 30 }) }),
  fc.record({ txnID: fc.string(), txnSource: wildJson }),
  wildJson,
)

const options = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: near(
      fc.record(
        {
          current_user: fc.record({ id: fc.nat(9), email: fc.constantFrom(null, 'a@b.example') }),
          params: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
          changed_fields: fc.constantFrom(null, { a: [1, null] }),
          requestContext,
          authorization: fc.constant('Bearer stolen'),
        },
        { requiredKeys: [] },
      ),
    ),
  },
)

const label = fc.oneof(
  fc.constantFrom('incident', '', ' ', 'a|b/c', 'x'.repeat(200), 'x'.repeat(201), 'é\n\u2028', '\0'),
  fc.string({ maxLength: 12 }),
)

const name = fc.oneof({ weight: 4, arbitrary: fc.constant('recalculate') }, { weight: 1, arbitrary: label })

const metadata = fc.oneof(
  fc.record({ case_type_code: label, account_nickname: label }, { requiredKeys: [] }),
  fc.constantFrom(null, {}),
)

const task = fc.record(
  {
    name,
    sourceCode: script,
    inputDocument: fc.oneof(jsonText, wildJson),
    options: fc.oneof(
      options.map(value => JSON.stringify(value) ?? ''),
      options,
    ),
    metadata,
    'metadata[case_type_code]': label,
  },
  { requiredKeys: ['name', 'sourceCode', 'inputDocument', 'options'] },
)

const fieldNames = [
  'name',
  'sourceCode',
  'inputDocument',
  'options',
  'metadata[case_type_code]',
  'metadata[account_nickname]',
] as const

const wholeForm = fc
  .tuple(name, script, jsonText, options, label, label)
  .map(([first, source, document, given, ...labels]) => {
    const values = [first, source, document, JSON.stringify(given) ?? '', ...labels]
    return fieldNames.map((field, index): [string, string] => [field, values[index] ?? ''])
  })

const oddFields = fc.array(
  fc.tuple(
    fc.constantFrom(
      'name',
      '__proto__',
      'metadata',
      'metadata[x]',
      'options[params]',
      'constructor[prototype]',
      '',
    ),
    fc.string({ maxLength: 8 }),
  ),
  { maxLength: 2 },
)

const formText = fc
  .tuple(wholeForm, oddFields, fc.nat(12), fc.constantFrom('', '&', '&&=', '&%', '&x=%ff', '&%E0%A4'))
  .map(([fields, odd, missing, tail]) => {
    const sent = fields.filter((_, index) => index !== missing)
    return new URLSearchParams([...sent, ...odd].map(([key, value]) => [key, value.toWellFormed()])) + tail
  })

const formBody: fc.Arbitrary<WireBody> = fc.record({
  bytes: perhapsDamaged(formText),
  contentType: fc.constantFrom(
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=utf-8',
    'Application/X-WWW-Form-Urlencoded',
  ),
  chunked: rarely,
})

const method = fc.constant('POST')
const target = fc.constantFrom('/api/1/endpoint/execute', '/api/1/endpoint/execute?x=1')

/** Requests to the execution endpoint as JSON and as a form, near the valid ones. */
export const executeCase: fc.Arbitrary<WireCase> = fc.oneof(
  { weight: 3, arbitrary: wireCases({ method, target, body: jsonBodies(task) }) },
  { weight: 2, arbitrary: wireCases({ method, target, body: formBody }) },
)

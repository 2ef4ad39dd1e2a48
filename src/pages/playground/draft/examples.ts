import type { Fields } from './link.ts'

/** A script to begin with. Its first line says how it ends. */
export interface Example extends Fields {
  readonly name: string
}

/** What the playground shows to somebody who has written nothing yet. */
export const firstFields: Fields = {
  script: `// exit with the input and its total
const total = payload.items.reduce((sum, item) => sum + item.price * item.count, 0)
log('total', total)
exit({ ...payload, total })
`,
  input: `{
  "items": [
    { "name": "pen", "price": 2, "count": 3 },
    { "name": "book", "price": 12, "count": 1 }
  ],
  "total": 0
}`,
  options: '{}',
}

/** Scripts that end in each of the ways there are. */
export const examples: readonly Example[] = [
  { name: 'Add up an order', ...firstFields },
  {
    name: 'Refuse an input',
    script: `// fail with a message, which the caller gets word for word
if (!payload.email.includes('@')) fail(\`"\${payload.email}" is not an e-mail address\`)
exit(payload)
`,
    input: '{ "email": "ann" }',
    options: '{}',
  },
  {
    name: 'Ask the gateway',
    script: `// exit with the person who runs this script
const { data, errors } = await graphql('{ viewer { accountCode userId scopes } }')
if (errors) fail(errors[0].message)
exit(data.viewer)
`,
    input: '{}',
    options: '{}',
  },
  {
    name: 'Read parameters',
    script: `// exit with the price after a discount
const rate = options.params.rate ?? 0
log('rate', rate)
exit({ ...payload, price: payload.price * (1 - rate) })
`,
    input: '{ "price": 80 }',
    options: '{ "params": { "rate": 0.25 } }',
  },
  {
    name: 'Check a case, as a hook',
    script: `// exit with the data of a case, which a hook stores; fail refuses the save
if (!payload.owner) fail('A case needs an owner.')
exit({ ...payload, priority: payload.impact * payload.urgency >= 6 ? 'high' : 'normal' })
`,
    input: '{ "owner": "ann", "impact": 2, "urgency": 3 }',
    options: '{}',
  },
  {
    name: 'Change a case, as a task',
    script: `// exit with the data of a case, which a task stores
if (!options.params.reason) fail('Give a reason.')
exit({ ...payload, impact: 3, reason: options.params.reason })
`,
    input: '{ "owner": "ann", "impact": 2, "urgency": 3 }',
    options: '{ "params": { "reason": "fire" } }',
  },
  {
    name: 'Find a mistake',
    script: `// error RUNTIME because of a name that does not exist
const total = payload.price * 2
exit(totl)
`,
    input: '{ "price": 80 }',
    options: '{}',
  },
  {
    name: 'Run for too long',
    script: `// error TIMEOUT because the loop has no end
let turns = 0
while (true) turns++
`,
    input: '{}',
    options: '{}',
  },
]

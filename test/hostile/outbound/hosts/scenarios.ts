/** Scripts that make more than one call, and what they must end with. */
export interface Scenario {
  readonly title: string
  readonly sourceCode: string
  readonly said: unknown
  /** Every connection that was made must be to one of these. */
  readonly mayReach: readonly string[]
}

const each = `const seen = async url => graphql('{ x }', {}, url).then(json => json.data.at, error => error.message)`
const inside = (name: string) => `graphql: \`${name}\` resolves to an address that is not public`

export const scenarios: readonly Scenario[] = [
  {
    title: 'a name that rebinds each time, called one by one',
    sourceCode: `${each}; const all = []
      for (let n = 0; n < 20; n++) all.push(await seen('http://rebinds-each-time.test/'))
      exit([...new Set(all)].sort())`,
    said: ['93.184.216.34:80', inside('rebinds-each-time.test')],
    mayReach: ['93.184.216.34:80'],
  },
  {
    title: 'a name that rebinds each time, called all at once',
    sourceCode: `${each}; const urls = Array.from({ length: 60 }, () => 'http://rebinds-each-time.test/')
      const all = await Promise.all(urls.map(seen))
      exit(all.every(one => one === '93.184.216.34:80'
        || one === ${JSON.stringify(inside('rebinds-each-time.test'))}))`,
    said: true,
    mayReach: ['93.184.216.34:80'],
  },
  {
    title: 'nine calls of a name whose server is silent hold up no call of another name',
    sourceCode: `${each}; for (let n = 0; n < 9; n++) void seen('http://silent.test/')
      const started = Date.now()
      const at = await seen('http://public.test/')
      exit([at, Date.now() - started < 1500])`,
    said: ['93.184.216.34:80', true],
    mayReach: ['93.184.216.34:80'],
  },
  {
    title: 'the hundred calls of a run may all go out, and not one more',
    sourceCode: `${each}; const all = []
      for (let n = 0; n < 101; n++) all.push(seen('http://public.test/'))
      const ends = await Promise.all(all)
      exit([ends.filter(end => end === '93.184.216.34:80').length, ends.at(-1)])`,
    said: [100, 'A run may call `graphql` 100 times; this call is one too many'],
    mayReach: ['93.184.216.34:80'],
  },
]

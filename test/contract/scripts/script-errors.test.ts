import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function errorOf(sourceCode: string) {
  return (await server.execute(sourceCode)).body.task_execution.error
}

// Where an engine and a reader agree on the place: the name that is not there.
const places: [string, string, string, number, number][] = [
  ['SYNTAX', 'on the first line', 'const = 5', 1, 7],
  ['SYNTAX', 'on a later line', 'const a = 1\n\n  const = 5', 3, 9],
  ['SYNTAX', 'after CRLF line ends', 'const a = 1\r\nconst = 5\r\n', 2, 7],
  ['SYNTAX', 'after a name of its own', '//# sourceURL=other.js\nconst = 5', 2, 7],
  ['RUNTIME', 'after a name of its own', '//# sourceURL=other.js\nmissing()', 2, 1],
  ['RUNTIME', 'at the very first character', 'missing()', 1, 1],
  ['RUNTIME', 'on a later line', 'const a = 1\n\n    missing()', 3, 5],
  ['RUNTIME', 'after await', 'await null\n  missing()', 2, 3],
  ['RUNTIME', 'after await of graphql()', 'await graphql("{ viewer { accountCode } }")\n\n missing()', 3, 2],
  ['RUNTIME', 'in a function', 'function f() {\n  missing()\n}\nf()', 2, 3],
  [
    'RUNTIME',
    'in an async function after await',
    'const f = async () => {\n  await null\n  missing()\n}\nawait f()',
    3,
    3,
  ],
  ['RUNTIME', 'in a callback of a built-in', '[1].map(\n  () => missing()\n)', 2, 9],
  ['RUNTIME', 'in a long line', `${' '.repeat(500)}missing()`, 1, 501],
  ['RUNTIME', 'with another character set before it', 'const s = "é✓"; missing()', 1, 17],
]

test.each(places)(
  '%s %s has the line and column of the author',
  async (code, _, sourceCode, line, column) => {
    expect(await errorOf(sourceCode)).toMatchObject({ code, line, column })
  },
)

test.each([
  ['exit(1)\n}', 2, 1],
  ['}\n//', 1, 1],
  ['  }  /* } */', 1, 3],
  ['if (payload) {\n  log(1)\n}}\n\n// a\n// b\n// c\nlog(2)\nexit(1)', 3, 2],
  ['}\nasync function g() {}', 1, 1],
  ['if (!payload) return\nnew.target\nlet text = `}`; } // }\nexit(text)', 3, 17],
  ['[1].map(() => {\n})\n})\nexit(1)', 3, 1],
  ['}, () => {} b', 1, 1],
  ['exit(1)\n} catch (error) {\n}', 2, 1],
  ["}); exit('out'); (async function () {", 1, 1],
  ['}) => {\n  exit(payload)\n}', 1, 1],
  ['\n  } = payload', 2, 3],
  ['//# sourceURL=other.js\nexit(1)\n}', 3, 1],
])('%j has the position of the `}` that closes nothing', async (sourceCode, line, column) => {
  const message = "SyntaxError: Unexpected token '}'"
  expect(await errorOf(sourceCode)).toMatchObject({ code: 'SYNTAX', message, line, column })
})

test.each([
  ['[1].map(() => {} 2)\n}', 'missing ) after argument list', 1, 16],
  ['try {}\nexit(1)\n}', 'Missing catch or finally after try', 1, 6],
  ['exit(', 'Unexpected end of input', 1, 6],
  ['/[task.js:9:9](/', 'Invalid regular expression: /[task.js:9:9](/: Unterminated group', 1, 1],
])('%j has its own message and position', async (sourceCode, message, line, column) => {
  expect(await errorOf(sourceCode)).toMatchObject({ message: `SyntaxError: ${message}`, line, column })
})

test.each([
  'let x = ;',
  'exit(1',
  '}); exit({ injected: 1 }); (async () => {',
  '} exit(1); {',
  'import fs from "node:fs"; exit(1)',
  'export const a = 1; exit(1)',
  'const a = 1; const a = 2; exit(a)',
  '*/ exit(1) /*',
  "'unclosed",
])('%s is a SYNTAX error and runs nothing', async sourceCode => {
  const answer = await server.execute(sourceCode)
  expect(answer.status).toBe(422)
  expect(answer.body.task_execution).toMatchObject({ outcome: 'error', payload: null, logs: [] })
  expect(answer.body.task_execution.error?.code).toBe('SYNTAX')
})

test.each([
  'exit(1) // the end',
  'exit(1) /* the end */',
  '// first\nexit(1)',
  'exit(1)\n',
  '"use strict"\nexit(1)',
])('%j runs', async sourceCode => {
  expect((await server.execute(sourceCode)).body.task_execution.payload).toBe(1)
})

describe('the stack', () => {
  test('holds the frames of the script alone', async () => {
    const error = await errorOf(
      'function inner() {\n  missing()\n}\nfunction outer() {\n  inner()\n}\nouter()',
    )
    expect(error?.stack).toContain('inner')
    expect(error?.stack).toContain('outer')
    expect(error?.stack).not.toMatch(/node:|file:|isolated|sandbox|prelude|\.ts\b|\//)
  })

  test('leads to the script when a call of the gateway fails', async () => {
    const error = await errorOf('await null\nawait Platform.teamMemberships.move(99999999, { team_id: 1 })')
    expect(error?.code).toBe('RUNTIME')
    expect(error?.line).toBe(2)
    expect(error?.stack ?? '').not.toMatch(/node:|node_modules|file:|\.ts|\/src\//)
  })

  test.each([
    'graphql("{ viewer { userId } }", { a: { b: 1n } })',
    'Platform.functions.run("double", { a: [new Map()] })',
    'Platform.cases.save({ case_type_code: "incident", data: { a: () => 1 } })',
  ])('leads to the script when JSON cannot carry the variables of %s', async call => {
    const error = await errorOf(`await null\nasync function ask() {\n  await ${call}\n}\nawait ask()`)
    expect(error).toMatchObject({ code: 'RUNTIME', line: 3 })
    expect(error?.stack).toContain('ask')
  })

  test('shows the script no path of the gateway either', async () => {
    const answer = await server.execute<string>(
      `const stacks = [new Error('x').stack]
       try { log(1n) } catch (error) { stacks.push(error.stack) }
       try { await graphql() } catch (error) { stacks.push(error.stack) }
       try { await Platform.users.get('x') } catch (error) { stacks.push(error.stack) }
       exit(stacks.join())`,
    )
    expect(answer.body.task_execution.payload).not.toMatch(/node:|node_modules|file:|\.ts\b|\/src\//)
  })
})

describe('what may be thrown', () => {
  test.each([
    ['null', 'throw null'],
    ['undefined', 'throw undefined'],
    ['text', 'throw "plain text"'],
    ['a number', 'throw 5'],
    ['an object', 'throw { any: "thing" }'],
    ['a rejection', 'await Promise.reject(new Error("plain text"))'],
    ['a detached rejection', 'Promise.reject(new Error("plain text")); await null; await null'],
    ['an error of an own class', 'class Mine extends Error {}; throw new Mine("plain text")'],
    ['an error without a name', 'const e = new Error("plain text"); e.name = undefined; throw e'],
    [
      'an error that lies',
      'const e = new Error("plain text"); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e',
    ],
    ['an error with a long message', 'throw new Error("m".repeat(3e6))'],
  ])('%s is an error of the run', async (_, sourceCode) => {
    const answer = await server.execute(sourceCode)
    expect(answer.status).toBe(422)
    expect(['RUNTIME', 'NO_OUTCOME']).toContain(answer.body.task_execution.error?.code)
    expect(answer.text.length).toBeLessThan(2 ** 17)
    if (sourceCode.startsWith('throw "'))
      expect(answer.body.task_execution.error?.message).toContain('plain text')
  })
})

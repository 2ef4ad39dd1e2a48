import fc from 'fast-check'

const keys = fc.constantFrom(
  'id',
  'user_id',
  'team_id',
  'leader',
  'version',
  'account_code',
  'toString',
  'constructor',
  'hasOwnProperty',
  'toJSON',
  'length',
  '',
  'a/b',
  'm~n',
  '\0',
)

/** Any JSON value, with the keys and values that programs trip over. */
export const wildJson: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(null, true, false, 0, -0, -1, 1, 1.5, 1e21, 2 ** 53, -(2 ** 53), ''),
  },
  { weight: 2, arbitrary: fc.constantFrom('7', ' 7', '7\n', 'null', '{}', '[]', '{{7}}', '\ud800', 'a\0b') },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.dictionary(keys, fc.constantFrom(null, 1, 'x', [], {}), { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(1, '1', null), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2_000 }).map(length => 'x'.repeat(length)) },
)

const nested = (open: string, close: string, inner: string) =>
  fc
    .constantFrom(3, 100, 1_000, 3_000, 5_000, 8_000, 20_000, 100_000)
    .map(depth => open.repeat(depth) + inner + close.repeat(depth))

/** Texts of JSON, or nearly, that no value gives when written: spellings, depths, doubled and forbidden keys. */
export const wildJsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: wildJson.map(value => JSON.stringify(value)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '{"team_membership":{"user_id":7,"user_id":8,"team_id":3}}',
      '{"team_membership":{"user_id":1e0,"team_id":3.0}}',
      '{"team_membership":{"user_id":9007199254740993,"team_id":1E400}}',
      '{"team_membership":{"user_id":-0,"team_id":1e-7}}',
      '{"team_membership":{"user_id":7,"team_id":3},"__proto__":{"admin":true}}',
      '{"team_membership":{"\\u005f_proto__":{"user_id":7},"team_id":3}}',
      '{"constructor":{"prototype":{"admin":true}}}',
      '{"team_membership":{"user_id":07,"team_id":3}}',
      "{'team_membership':{'user_id':7}}",
      '{"team_membership":{"user_id":7,"team_id":3,}}',
      '{"team_membership":{"user_id":NaN}}',
      '{"a":"\t"}',
      '/* x */ {}',
      '\ufeff{"team_membership":{"user_id":7,"team_id":3}}',
      '{} {}',
      ' ',
      'undefined',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      nested('[', ']', ''),
      nested('{"a":', '}', '1'),
      nested('[', ']', '"\\u005f"'),
      nested('{"team_membership":', '}', '{}'),
      nested('[', '', ''),
    ),
  },
)

/** Lines of the pages that the test does not paste, by their beginning, each for its reason. */
export const notRun: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'test/contract/running-npm and running-banner start it; here a server runs already',
  'npm ci && npm test': 'it is what runs this',
  "printf 'POSTGRES_PASSWORD": 'there is no Docker here; test/static/compose and image check its files',
  'curl -sN': 'its answer comes with a change in another shell; test/contract/subscription shows it',
  'DATABASE_URL=postgres://': 'there is no PostgreSQL here; test/commands/copy runs it',
}

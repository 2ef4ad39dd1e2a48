/** Lines of the pages that the test does not paste, by their beginning, each for its reason. */
export const notRun: Readonly<Record<string, string>> = {
  'npm ci && npm start':
    'test/contract/running/running-npm and running-banner start it; here a server runs already',
  'npm ci && npm test': 'it is what runs this',
  'npm run bench': 'it takes minutes; test/bench runs it in short',
  '[ -s .env ]': 'there is no Docker here; test/static/compose and image check its files',
  'docker compose': 'there is no Docker here; test/static/compose and image check its files',
  'docker run': 'there is no Docker here; test/tracing starts gateways with a collector of its own',
  'git diff --stat': 'its versions are for the reader to fill in',
  'rm -f data/rostrum.db': 'it is for a gateway that was stopped; test/docs/backup runs it',
  'DATABASE_URL=postgres://': 'there is no PostgreSQL here; test/commands/copy runs it',
}

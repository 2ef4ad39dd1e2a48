// Methods of Platform with every odd argument reject, and change nothing.
// ends: exit
// result: "all"
log('before')
const odd = [undefined, null, -1, 0, 1.5, 1e400, Number.NaN, '', '1"}', 'x'.repeat(1e5), {}, [], Symbol('x'), () => 1, 2n ** 64n]
const made = []
const { teamMemberships, users, teams, tasks } = Platform
for (const value of odd) {
  const tries = { add: () => teamMemberships.add(value), pair: () => teamMemberships.add({ user_id: value, team_id: 5 }) }
  tries.move = () => teamMemberships.move(value, { team_id: 1 })
  tries.remove = () => teamMemberships.remove(value)
  tries.execute = () => tasks.execute(value)
  tries.user = () => users.get(value)
  tries.team = () => teams.get(value)
  const [name] = Object.keys(tries)
  for (const [name, attempt] of Object.entries(tries)) {
    const answer = await attempt().catch(error => (error instanceof Error ? null : 'odd'))
    if (answer !== null) made.push([name, typeof value, answer])
  }
  if (name !== 'add') made.push(name)
  if (made.length > 0 || odd.indexOf(value) === 13) break
}
exit(made.length === 0 ? 'all' : made)

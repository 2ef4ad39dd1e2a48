// Everything of another account, asked for by its id through every operation.
// ends: exit
// result: [null,[],null,"rejected","rejected","null","[]","NOT_FOUND","NOT_FOUND"]
log('before')
const { membershipOfB: id, userOfB } = options.params
const { teamMemberships, users } = Platform
const ask = query => graphql(query).then(({ data, errors }) => errors?.[0].extensions.code ?? JSON.stringify(Object.values(data)[0]))
exit([
  await teamMemberships.get(id),
  await teamMemberships.list([id]),
  await users.get(userOfB),
  await teamMemberships.move(id, { team_id: 9 }).catch(() => 'rejected'),
  await teamMemberships.remove(id).catch(() => 'rejected'),
  await ask(`{ user(id: ${userOfB}) { memberships { edges { node { id } } } } }`),
  await ask(`{ teamMemberships(ids: [${id}, ${id}]) { user { id } team { memberships { edges { node { user { id } } } } } } }`),
  await ask(`mutation { moveTeamMembership(id: ${id}, input: { teamId: 9 }) { id } }`),
  await ask(`mutation { removeTeamMembership(id: ${id}) { id } }`),
])

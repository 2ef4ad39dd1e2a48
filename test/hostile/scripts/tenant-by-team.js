// A team whose number both accounts use, asked for all of its members.
// ends: exit
// result: [660001]
log('before')
const { data } = await graphql('{ team(id: 1) { memberships { edges { node { user { id } } } } } }')
exit(data.team.memberships.edges.map(({ node }) => Number(node.user.id)))

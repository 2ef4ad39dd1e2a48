// A rope that is ten million levels deep, flattened, compared and searched.
// ends: exit CRASHED MEMORY RUNTIME TIMEOUT
log('before')
let rope = ''
for (let i = 0; i < 1e6; i++) rope = `${i % 7}${rope}`
exit([rope.includes('77'), rope === `${rope.slice(1)}0`, JSON.stringify(rope).length].length)

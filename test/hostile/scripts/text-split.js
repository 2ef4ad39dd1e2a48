// A huge text cut into its characters.
// ends: TIMEOUT MEMORY
log('before')
for (;;) 'a'.repeat(5e7).split(/(?:)/u)

// Functions of texts of 100,000 lines.
// ends: TIMEOUT MEMORY
log('before')
for (let i = 0; ; i++) Function(`${';\n'.repeat(1e5)}return ${i}`)()

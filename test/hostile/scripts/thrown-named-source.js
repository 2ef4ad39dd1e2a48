// Code of text that goes by the name of the script's own file.
// ends: RUNTIME
// place: 8:1
// error: ^Error: forged$
log('before')
const forged = Function('\n\n\nthrow new Error("forged")\n//# sourceURL=task.js')

forged()

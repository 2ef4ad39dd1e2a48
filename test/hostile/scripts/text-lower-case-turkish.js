// Huge texts in small letters, by the rules of a language.
// ends: TIMEOUT MEMORY
log('before')
for (;;) 'İ'.repeat(1e7).toLocaleLowerCase('tr')

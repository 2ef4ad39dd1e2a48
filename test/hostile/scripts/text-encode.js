// Huge texts as parts of a URL and back.
// ends: TIMEOUT MEMORY
log('before')
for (;;) unescape(escape(decodeURIComponent(encodeURIComponent('€'.repeat(3e6)))))

// A pattern of set operations over all of Unicode, compiled forever.
// ends: TIMEOUT MEMORY
log('before')
for (let i = 0; ; i++) new RegExp(`[[\\p{L}--\\p{Lu}]&&[\\p{Script=Greek}\\p{RGI_Emoji}]]{${i % 100}}`, 'vi').test('α')

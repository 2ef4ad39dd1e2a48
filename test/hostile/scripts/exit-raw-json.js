// Raw JSON that no number can hold.
// ends: exit
// result: [null,12345678901234567000,"x"]
log('before')
exit([JSON.rawJSON('1e1000'), JSON.rawJSON('12345678901234567890'), JSON.rawJSON('"x"')])

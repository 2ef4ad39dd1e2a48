// Raw JSON that no number can hold, which is passed on as it is written.
// ends: exit
// result: [1e1000,12345678901234567890,"x"]
log('before')
exit([JSON.rawJSON('1e1000'), JSON.rawJSON('12345678901234567890'), JSON.rawJSON('"x"')])

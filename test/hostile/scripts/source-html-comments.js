// Comments of the days of HTML.
// ends: exit
// logs: []
// result: 1
// source: '<!-- exit("no")\nexit(1) <!-- exit("no")\n--> exit("no")'

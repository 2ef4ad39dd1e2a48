// Source that closes every bracket, comment and quote there could be.
// ends: SYNTAX
// logs: []
// source: '*/`"\'})]}));exit("out");/*'

-- What each account stores: its long texts, and 256 bytes for each row. Events of memberships have a counter already, which
-- counts for as many rows; the difference to the rows that exist is counted here.
insert into counters (account_code, name, value)
select account_code, 'stored byte', sum(bytes) from (
	select account_code, data_bytes + 256 as bytes from cases
	union all select account_code, changed_bytes + 256 from case_events
	union all select account_code, 256 from membership_events
	union all select account_code, - 256 * value from counters where name = 'membership event'
	union all select account_code, 256 from functions
	union all select account_code, 256 from removed_functions
	union all select account_code, source_bytes + 256 from function_versions
	union all select account_code, 256 from runs
	union all select account_code, coalesce(octet_length(input), 0) + coalesce(octet_length(options), 0) from run_inputs
	union all select account_code, coalesce(octet_length(payload), 0) + coalesce(octet_length(message), 0)
		+ coalesce(octet_length(error), 0) + coalesce(octet_length(logs), 0) from run_outputs
	union all select account_code, bytes + 256 from queued_inputs
	union all select account_code, 256 from queued_runs
) as stored
where account_code in (select account_code from accounts)
group by account_code;

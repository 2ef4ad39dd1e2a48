CREATE TABLE `queued_inputs` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`runs` integer NOT NULL,
	`bytes` integer NOT NULL,
	`waiting_bytes` integer NOT NULL,
	`input` text NOT NULL,
	`options` text NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `queue_accounts` ADD `waiting_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `queued_runs` ADD `input_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
insert into queued_inputs (account_code, id, runs, bytes, waiting_bytes, input, options)
	select account_code, id, 1, octet_length(input) + octet_length(options),
		case when state = 'dead' then 0 else octet_length(input) + octet_length(options) end, input, options
	from queued_runs;
--> statement-breakpoint
update queued_runs set input_id = id;
--> statement-breakpoint
update queue_accounts set waiting_bytes = coalesce((
	select sum(queued_inputs.waiting_bytes) from queued_inputs
	where queued_inputs.account_code = queue_accounts.account_code
), 0);

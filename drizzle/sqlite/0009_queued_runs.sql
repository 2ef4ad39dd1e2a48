CREATE TABLE `queue_accounts` (
	`account_code` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL,
	`waiting` integer NOT NULL,
	`due_at` integer,
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `queue_accounts_by_due` ON `queue_accounts` (`due_at`);--> statement-breakpoint
CREATE TABLE `queued_runs` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`state` text NOT NULL,
	`trigger` text NOT NULL,
	`event` text,
	`hook_id` integer,
	`webhook_id` integer,
	`function_id` integer NOT NULL,
	`name` text NOT NULL,
	`case_type_code` text,
	`case_id` integer,
	`case_version` integer,
	`lane` text,
	`txn_id` text NOT NULL,
	`generation` integer NOT NULL,
	`caused_by` text NOT NULL,
	`scopes` text NOT NULL,
	`attempt` integer NOT NULL,
	`due_at` integer NOT NULL,
	`claim_at` integer,
	`holder` text,
	`last_error` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`input` text NOT NULL,
	`options` text NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `queued_runs_by_claim` ON `queued_runs` (`account_code`,`claim_at`,`id`);--> statement-breakpoint
CREATE INDEX `queued_runs_by_lane` ON `queued_runs` (`account_code`,`lane`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `queued_runs_by_state` ON `queued_runs` (`account_code`,`state`,`id`);
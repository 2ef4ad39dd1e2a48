CREATE TABLE `runs` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`run_id` text NOT NULL,
	`state` text NOT NULL,
	`outcome` text,
	`trigger` text NOT NULL,
	`event` text,
	`name` text NOT NULL,
	`function_id` integer,
	`function_version` text,
	`case_id` integer,
	`case_version` integer,
	`txn_id` text NOT NULL,
	`txn_source` text NOT NULL,
	`parent_run_id` text,
	`replay_of` text,
	`attempt` integer NOT NULL,
	`by_user_id` integer,
	`scopes` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration` integer,
	`dry_run` integer NOT NULL,
	`text_bytes` text NOT NULL,
	`gateway` text NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `runs_by_function` ON `runs` (`account_code`,`function_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_version` ON `runs` (`account_code`,`function_version`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_case` ON `runs` (`account_code`,`case_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_transaction` ON `runs` (`account_code`,`txn_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_outcome` ON `runs` (`account_code`,`outcome`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_state` ON `runs` (`state`,`account_code`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_age` ON `runs` (`started_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `runs_by_run_id` ON `runs` (`account_code`,`run_id`);--> statement-breakpoint
CREATE TABLE `run_inputs` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`input` text,
	`options` text,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `run_inputs_by_age` ON `run_inputs` (`started_at`);--> statement-breakpoint
CREATE TABLE `run_outputs` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`payload` text,
	`message` text,
	`error` text,
	`logs` text,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `gateways` (
	`account_code` text NOT NULL,
	`id` text NOT NULL,
	`seen_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`)
);

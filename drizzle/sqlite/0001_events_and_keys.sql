CREATE TABLE `idempotency_keys` (
	`account_code` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` blob NOT NULL,
	`holder` text NOT NULL,
	`held_until` integer NOT NULL,
	`answer` blob,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `idempotency_steps` (
	`account_code` text NOT NULL,
	`key` text NOT NULL,
	`number` integer NOT NULL,
	`result` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `key`, `number`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_steps_by_age` ON `idempotency_steps` (`created_at`);--> statement-breakpoint
CREATE TABLE `membership_events` (
	`account_code` text NOT NULL,
	`sequence` integer NOT NULL,
	`kind` text NOT NULL,
	`membership_id` integer NOT NULL,
	`before_user_id` integer,
	`before_team_id` integer,
	`after_user_id` integer,
	`after_team_id` integer,
	`by_user_id` integer,
	`by_email` text,
	`transaction_id` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `sequence`)
);

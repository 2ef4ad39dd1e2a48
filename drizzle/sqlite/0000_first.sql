CREATE TABLE `accounts` (
	`account_code` text PRIMARY KEY NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`label` text,
	`scopes` text NOT NULL,
	`sha256` blob NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`revoked_at` integer,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`user_id`) REFERENCES `users`(`account_code`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `api_tokens_by_sha256` ON `api_tokens` (`sha256`);--> statement-breakpoint
CREATE INDEX `api_tokens_by_id` ON `api_tokens` (`id`);--> statement-breakpoint
CREATE TABLE `counters` (
	`account_code` text NOT NULL,
	`name` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`account_code`, `name`)
);
--> statement-breakpoint
CREATE TABLE `team_memberships` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`team_id` integer NOT NULL,
	`leader` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`user_id`) REFERENCES `users`(`account_code`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_code`,`team_id`) REFERENCES `teams`(`account_code`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `team_memberships_pair` ON `team_memberships` (`account_code`,`user_id`,`team_id`);--> statement-breakpoint
CREATE INDEX `team_memberships_by_team` ON `team_memberships` (`account_code`,`team_id`,`id`);--> statement-breakpoint
CREATE INDEX `team_memberships_by_user` ON `team_memberships` (`account_code`,`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `teams` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`name` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `users` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`email` text,
	`display_name` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `users_by_email` ON `users` (`account_code`,`email`,`id`);
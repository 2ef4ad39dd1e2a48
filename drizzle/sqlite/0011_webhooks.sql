CREATE TABLE `webhooks` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`name` text NOT NULL,
	`function_id` integer NOT NULL,
	`verification` text NOT NULL,
	`header` text,
	`headers` text NOT NULL,
	`mode` text NOT NULL,
	`scopes` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`function_id`) REFERENCES `functions`(`account_code`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_by_function` ON `webhooks` (`account_code`,`function_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_by_name` ON `webhooks` (`account_code`,`name`);--> statement-breakpoint
CREATE TABLE `webhook_secrets` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`webhook_id` integer NOT NULL,
	`key_id` text NOT NULL,
	`sealed` blob NOT NULL,
	`ends_at` integer,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`webhook_id`) REFERENCES `webhooks`(`account_code`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhook_secrets_by_webhook` ON `webhook_secrets` (`account_code`,`webhook_id`,`id`);--> statement-breakpoint
CREATE TABLE `webhook_messages` (
	`account_code` text NOT NULL,
	`webhook_id` integer NOT NULL,
	`digest` text NOT NULL,
	`holder` text NOT NULL,
	`held_until` integer NOT NULL,
	`answer` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `webhook_id`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `webhook_messages_by_age` ON `webhook_messages` (`created_at`);